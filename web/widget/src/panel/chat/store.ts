/** A state object that is replaced, never changed, and its subscribers. */
export class Store<S extends object> {
  readonly #listeners = new Set<() => void>();

  constructor(private current: S) {}

  get state(): S {
    return this.current;
  }

  update(change: Partial<S>): void {
    this.current = { ...this.current, ...change };
    for (const listener of this.#listeners) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
