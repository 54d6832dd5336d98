interface Waiting {
  owner: string;
  enter(): void;
}

/** Lets in so many at a time, and of one owner one: whoever brings much leaves room for the others. */
export class Turns {
  readonly #inside = new Set<string>();
  readonly #waiting: Waiting[] = [];

  constructor(private readonly most: number) {}

  /** Run `work` when it is the owner's turn. */
  async take<T>(owner: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((enter) => {
      this.#waiting.push({ owner, enter });
      this.#next();
    });
    try {
      return await work();
    } finally {
      this.#inside.delete(owner);
      this.#next();
    }
  }

  #next(): void {
    const at = this.#inside.size < this.most ? this.#waiting.findIndex(({ owner }) => !this.#inside.has(owner)) : -1;
    const [first] = at === -1 ? [] : this.#waiting.splice(at, 1);
    if (!first) return;
    this.#inside.add(first.owner);
    first.enter();
  }
}
