/** Closes resources in reverse order of their creation. */
export class Closers {
  readonly #open: { name: string; close: () => unknown }[] = [];

  add(name: string, close: () => unknown): void {
    this.#open.push({ name, close });
  }

  /** Close every resource, even if some fail to close. */
  async closeAll(onStep: (name: string) => void = () => {}): Promise<void> {
    for (let last = this.#open.pop(); last; last = this.#open.pop()) {
      onStep(last.name);
      await Promise.resolve()
        .then(last.close)
        .catch((error: Error) => process.stderr.write(`${last?.name} failed to stop: ${error.message}\n`));
    }
  }
}
