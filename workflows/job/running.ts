/** Share of the slots up to which jobs may grow, and from which they shrink. */
const [ROOM, CROWDED] = [0.75, 0.9];

/** Lanes that each job gets at first, however many run. */
const LEAST = 5;

/** The first window of a job that shares the concurrency of its kind with the other jobs of its organization. */
export const shareOf = (concurrency: number, jobs: number): number =>
  Math.min(concurrency, Math.max(LEAST, Math.ceil(concurrency / Math.max(1, jobs))));

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
