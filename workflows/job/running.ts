/** Share of the slots up to which jobs may grow, and from which they shrink. */
const [ROOM, CROWDED] = [0.75, 0.9];

/**
 * The first window of a job that shares the concurrency of its kind with the other jobs of its organization. So many jobs at once queue hardly
 * more items than one, and one leaves room in a small worker.
 */
export const shareOf = (concurrency: number, jobs: number, slots: number): number =>
  Math.ceil(Math.min(concurrency, slots / 4) / Math.max(1, jobs));

/** The items that run in this process. */
export class Running {
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(private readonly slots: number) {}

  get hasRoom(): boolean {
    return this.#total <= this.slots * ROOM;
  }

  /**
   * Hardly any slot is free, and the organization runs at least as many items as the average one. Also true without others: their items
   * would wait behind all that its jobs have queued.
   */
  isCrowdedBy(organizationId: string): boolean {
    return this.#total >= this.slots * CROWDED && (this.#counts.get(organizationId) ?? 0) * this.#counts.size >= this.#total;
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
