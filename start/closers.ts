/** What was started, to be stopped in the opposite order. */
export class Closers {
  readonly #open: { name: string; close: () => unknown }[] = [];

  add(name: string, close: () => unknown): void {
    this.#open.push({ name, close });
  }

  /** Stop everything, also when one part does not stop well. */
  async closeAll(onStep: (name: string) => void = () => {}): Promise<void> {
    for (let last = this.#open.pop(); last; last = this.#open.pop()) {
      onStep(last.name);
      await Promise.resolve()
        .then(last.close)
        .catch((error: Error) => process.stderr.write(`${last?.name} did not stop well: ${error.message}\n`));
    }
  }
}
