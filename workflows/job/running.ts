/** Share of the slots up to which jobs may grow, and from which they shrink. */
const [ROOM, CROWDED] = [0.75, 0.9];

/** The items that run in this process. */
export class Running {
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(private readonly slots: number) {}

  get hasRoom(): boolean {
    return this.#total <= this.slots * ROOM;
  }

  /** Hardly any slot is free, and organizations compete for them. */
  get isCrowded(): boolean {
    return this.#total >= this.slots * CROWDED && this.#counts.size > 1;
  }

  add(organizationId: string): void {
    this.#total += 1;
    this.#counts.set(organizationId, (this.#counts.get(organizationId) ?? 0) + 1);
  }

  remove(organizationId: string): void {
    this.#total -= 1;
    const left = this.#counts.get(organizationId)! - 1;
    if (left > 0) this.#counts.set(organizationId, left);
    else this.#counts.delete(organizationId);
  }
}
