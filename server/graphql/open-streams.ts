/** Counts the open subscriptions of this process by owner. An owner holds at most as many as it leaves free. */
export class OpenStreams {
  readonly #held = new Map<string, number>();
  #total = 0;

  /** @param most open subscriptions of all owners */
  constructor(private readonly most: number) {}

  /** Count a subscription. Returns the function that releases it, or undefined when the owner may open no more. */
  open(owner: string): (() => void) | undefined {
    if (this.#of(owner) >= this.most - this.#total) return undefined;
    this.#add(owner, 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#add(owner, -1);
      isOpen = false;
    };
  }

  #of(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  #add(owner: string, count: number): void {
    const held = this.#of(owner) + count;
    this.#total += count;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
  }
}
