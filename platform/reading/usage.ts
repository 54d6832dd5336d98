/** Milliseconds after which used time counts half. */
const HALF_LIFE = 10_000;
const MAX_OWNERS = 1_000;

/** The time of a shared resource that owners used recently. */
export class RecentUse {
  readonly #used = new Map<string, { ms: number; at: number }>();

  of(owner: string): number {
    const used = this.#used.get(owner);
    return used ? used.ms * 2 ** ((used.at - performance.now()) / HALF_LIFE) : 0;
  }

  add(owner: string, ms: number): void {
    this.#used.set(owner, { ms: this.of(owner) + ms, at: performance.now() });
    if (this.#used.size <= MAX_OWNERS) return;
    for (const each of this.#used.keys()) if (this.of(each) < 1 || this.#used.size > 2 * MAX_OWNERS) this.#used.delete(each);
  }
}
