/** Share of the slots that the first windows of an organization fill, up to which jobs may grow, from which and to which they shrink. */
const [FIRST, ROOM, CROWDED, RELIEVED] = [0.5, 0.75, 0.9, 0.8];

/** Milliseconds until the items of a job that began run. */
const START_MS = 2_000;

/** The items of jobs and the repeats of tests that run in this worker, by organization. Limits how many each organization runs. */
export class WorkerLoad {
  readonly #counts = new Map<string, number>();
  #total = 0;
  /** Results of a single organization in a crowded worker. */
  #crowded = 0;
  #begun: { organizationId: string; lanes: number; at: number }[] = [];

  constructor(private readonly slots: number) {}

  get hasRoom(): boolean {
    return this.#total <= this.slots * ROOM;
  }

  /**
   * Whether hardly any slot is free, and the organization runs at least as many items as the average one. An organization that is alone
   * must shrink too, so that items of others do not wait behind its queue. Then only one in four results is true: if all its jobs shrank at
   * once, slots would stay idle.
   */
  isCrowdedBy(organizationId: string): boolean {
    if (this.#total < this.slots * CROWDED || (this.#counts.get(organizationId) ?? 0) * this.#counts.size < this.#total)
      return false;
    if (this.#counts.size > 1) return true;
    this.#crowded += 1;
    return this.#crowded % 4 === 1;
  }

  /**
   * The share of its window that a job of the organization keeps in a crowded worker, at least half. If all slots are taken, it is half,
   * because the number of waiting items is unknown.
   */
  shareOf(organizationId: string): number {
    if (this.#total >= this.slots) return 0.5;
    const excess = this.#total - this.slots * RELIEVED;
    return Math.max(0.5, 1 - excess / (this.#counts.get(organizationId) ?? 1));
  }

  /**
   * The first window of a job, at least one lane. Jobs of one organization that begin at the same time fill at most half of the worker.
   * Otherwise items of other organizations would wait behind their queue.
   */
  begin(organizationId: string, concurrency: number): number {
    const now = Date.now();
    this.#begun = this.#begun.filter(({ at }) => now - at < START_MS);
    const begun = this.#begun.reduce((sum, job) => sum + (job.organizationId === organizationId ? job.lanes : 0), 0);
    const room = Math.floor(this.slots * FIRST) - begun - (this.#counts.get(organizationId) ?? 0);
    // Beside a job that has filled the worker, a single new one gets half of the free slots, so that the first one shrinks.
    const free = begun === 0 ? Math.floor((this.slots - this.#total) / 2) : 0;
    const lanes = Math.max(1, Math.min(concurrency, Math.max(room, free)));
    this.#begun.push({ organizationId, lanes, at: now });
    return lanes;
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
