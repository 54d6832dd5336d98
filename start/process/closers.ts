import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds that `closeAll` waits for a resource that is still opening. */
const OPENING_MS = 20_000;

/** Closes resources in reverse order of their creation. */
export class Closers {
  readonly #open: { name: string; close: () => unknown }[] = [];
  #opening: Promise<unknown> = Promise.resolve();
  #isClosing = false;

  add(name: string, close: () => unknown): void {
    this.#open.push({ name, close });
  }

  /** Open a resource that `close` closes. `closeAll` waits for it, and afterwards nothing opens any more. */
  async open<T>(name: string, open: () => Promise<T>, close: (opened: T) => unknown): Promise<T> {
    if (this.#isClosing) return new Promise<never>(() => {});
    const opening = open();
    this.#opening = opening.then(
      (opened) => this.add(name, () => close(opened)),
      () => {},
    );
    await this.#opening;
    return opening;
  }

  /** Close every resource, even if some fail to close. */
  async closeAll(onStep: (name: string) => void = () => {}): Promise<void> {
    this.#isClosing = true;
    await Promise.race([this.#opening, wait(OPENING_MS, undefined, { ref: false })]);
    for (let last = this.#open.pop(); last; last = this.#open.pop()) {
      onStep(last.name);
      await Promise.resolve()
        .then(last.close)
        .catch((error: Error) => process.stderr.write(`${last?.name} failed to stop: ${error.message}\n`));
    }
  }
}
