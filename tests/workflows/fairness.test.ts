import { jest } from '@jest/globals';
import { WorkerLoad } from '../../workflows/activity-attempt.ts';
import { ConcurrencyWindow } from '../../workflows/job/concurrency-window.ts';

const ITEM_MS = 5_000;
const FIRST_WINDOW = 20;

interface SimulatedJob {
  organizationId: string;
  window: ConcurrencyWindow;
  left: number;
  /** Items that wait for a slot or run. */
  open: number;
  endedAt?: number;
}

/** A worker whose slots take items in the order of their queue, as those of Temporal do, in simulated time. */
class SimulatedWorker {
  readonly #running: WorkerLoad;
  readonly #jobs: SimulatedJob[] = [];
  readonly #queue: SimulatedJob[] = [];
  readonly #ends: { at: number; job: SimulatedJob }[] = [];
  #free: number;

  constructor(slots: number) {
    this.#running = new WorkerLoad(slots);
    this.#free = slots;
  }

  /** Start jobs of one organization at once. */
  start(organizationId: string, count: number, items: number): SimulatedJob[] {
    const started = Array.from({ length: count }, (): SimulatedJob => {
      const initial = this.#running.begin(organizationId, FIRST_WINDOW);
      return {
        organizationId,
        window: new ConcurrencyWindow({ initial, limit: 100, usual: FIRST_WINDOW }),
        left: items,
        open: 0,
      };
    });
    this.#jobs.push(...started);
    this.#fill();
    return started;
  }

  /** Run until the time, or until the job ends. */
  run(until: number, job?: SimulatedJob): void {
    for (;;) {
      const next = this.#ends[0];
      if (!next || next.at > until || (job && job.endedAt !== undefined)) break;
      this.#ends.shift();
      jest.setSystemTime(next.at);
      this.#end(next.job);
      this.#fill();
    }
    if (!job) jest.setSystemTime(until);
  }

  #end(job: SimulatedJob): void {
    const { organizationId, window } = job;
    const crowded = this.#running.isCrowdedBy(organizationId);
    window.complete({ mayGrow: this.#running.hasRoom, crowded, share: this.#running.shareOf(organizationId) });
    this.#running.remove(organizationId);
    this.#free += 1;
    job.open -= 1;
    if (job.left === 0 && job.open === 0) job.endedAt = Date.now();
  }

  #fill(): void {
    for (const job of this.#jobs)
      for (; job.left > 0 && job.open < job.window.size; job.left -= 1, job.open += 1) this.#queue.push(job);
    for (; this.#free > 0 && this.#queue.length > 0; this.#free -= 1) {
      const job = this.#queue.shift()!;
      this.#running.add(job.organizationId);
      // Items of a provider never take the same time.
      const at = Date.now() + ITEM_MS + ((this.#ends.length * 37) % 100) * 4;
      this.#ends.push({ at, job });
    }
    this.#ends.sort((a, b) => a.at - b.at);
  }
}

afterEach(() => jest.useRealTimers());

test.each([
  [120, 1, 1],
  [120, 8, 1],
  [120, 30, 1],
  [120, 30, 60],
  [120, 100, 10],
  [120, 100, 60],
  [40, 8, 1],
  [40, 8, 60],
])('%d slots and %d large jobs: a small job is hardly slower beside them, %d seconds after their start', (slots, jobs, seconds) => {
  jest.useFakeTimers();
  jest.setSystemTime(0);
  const worker = new SimulatedWorker(slots);
  worker.start('large', jobs, 50_000);
  worker.run(seconds * 1_000);
  const from = Date.now();
  const [small] = worker.start('small', 1, 10);
  worker.run(from + 120_000, small);
  const ratio = (small!.endedAt! - from) / ITEM_MS;
  expect(ratio).toBeLessThan(1.5);
});

test('small jobs beside a large one cost it little of its concurrency', () => {
  jest.useFakeTimers();
  jest.setSystemTime(0);
  const worker = new SimulatedWorker(120);
  const [large] = worker.start('large', 1, 5_000);
  for (const start of [30_000, 37_000]) {
    worker.run(start);
    worker.start('small', 1, 10);
  }
  worker.run(1_000_000, large);
  // A window of 100 from the start takes 250 s.
  expect(large!.endedAt! / 1_000).toBeLessThan(280);
});
