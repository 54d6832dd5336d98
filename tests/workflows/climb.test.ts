import { jest } from '@jest/globals';
import { JobLane, Pace } from '../../platform/model/pace.ts';
import { WorkerLoad } from '../../workflows/activity-attempt.ts';
import { ConcurrencyWindow } from '../../workflows/job/concurrency-window.ts';

const organizationId = 'acme';

interface Load {
  items: number;
  answerMs: number;
  /** Requests that the provider answers at the same time. It queues the others. */
  slots?: number;
  /** Processor time of the worker for an item after its answer. */
  busyMs?: number;
}

/** A job in a worker with 120 slots, in simulated time. */
class SimulatedJob {
  readonly window = new ConcurrencyWindow({ initial: 6, limit: 100, usual: 20 });
  readonly lane = new JobLane(new Pace(1_000, 120_000));
  readonly #running = new WorkerLoad(120);
  readonly #events: { at: number; run(): void }[] = [];
  readonly #slots: number[];
  #left: number;
  #open = 0;
  #busyUntil = 0;

  constructor(private readonly load: Load) {
    this.#slots = Array(load.slots ?? 1_000).fill(0);
    this.#left = load.items;
  }

  /** @returns the seconds that the job takes */
  run(): number {
    this.#fill();
    for (let event = this.#events.shift(); event; event = this.#events.shift()) {
      jest.setSystemTime(event.at);
      event.run();
    }
    return Date.now() / 1_000;
  }

  #fill(): void {
    for (; this.#left > 0 && this.#open < this.window.size; this.#left -= 1) {
      this.#open += 1;
      const begun = { at: Date.now(), size: this.window.size };
      // Items never read their sources equally fast.
      this.#after(50 + ((this.#left * 37) % 100), () => {
        this.#running.add(organizationId);
        this.lane.add({ organizationId, grant: () => this.#send(begun) });
        this.#grant();
      });
    }
  }

  #grant(): void {
    for (let request = this.lane.next(false); request; request = this.lane.next(false)) {
      this.lane.begin(request);
      request.grant();
    }
  }

  #send(begun: { at: number; size: number }): void {
    const { pace, running } = this.lane;
    const paced = pace.begin(running, Date.now());
    const slot = this.#slots.indexOf(Math.min(...this.#slots));
    const endsAt = Math.max(Date.now(), this.#slots[slot]!) + this.load.answerMs;
    this.#slots[slot] = endsAt;
    this.#after(endsAt - Date.now(), () => {
      pace.answered(paced, Date.now());
      this.lane.end({ organizationId, grant() {} });
      this.#grant();
      const { busyMs = 0 } = this.load;
      this.#busyUntil = Math.max(this.#busyUntil, Date.now()) + busyMs;
      this.#after(busyMs > 0 ? this.#busyUntil - Date.now() : 20 + ((this.#left * 53) % 40), () => this.#complete(begun));
    });
  }

  #complete({ at, size }: { at: number; size: number }): void {
    const mayGrow = this.lane.waiting === 0 && this.#running.hasRoom;
    const crowded = this.#running.isCrowdedBy(organizationId);
    this.window.complete({ mayGrow, crowded }, size === this.window.size ? Date.now() - at : undefined);
    this.#running.remove(organizationId);
    this.#open -= 1;
    this.#fill();
  }

  #after(ms: number, run: () => void): void {
    const at = Date.now() + ms;
    this.#events.splice(this.#events.findLastIndex((event) => event.at <= at) + 1, 0, { at, run });
  }
}

const simulate = (load: Load) => {
  jest.useFakeTimers();
  jest.setSystemTime(0);
  const job = new SimulatedJob(load);
  return { job, seconds: job.run() };
};
afterEach(() => jest.useRealTimers());

test('a job climbs to its limit in seven answers of a provider that serves all requests at once', () => {
  const { job, seconds } = simulate({ items: 1_000, answerMs: 5_000 });
  expect(job.window.size).toBe(100);
  // A window of 100 from the start takes 50 s, and doubling from two requests 30 s more.
  expect(seconds).toBeLessThan(82);
});

test('a job holds few items of a server with one slot', () => {
  const { job, seconds } = simulate({ items: 100, answerMs: 2_000, slots: 1 });
  expect(seconds).toBeLessThan(201);
  expect(job.window.size).toBeLessThanOrEqual(12);
});

test('a job stays at the usual concurrency while more items would not be faster', () => {
  expect(simulate({ items: 1_000, answerMs: 300 }).job.window.size).toBe(20);
  // The processor of the worker is the limit, so each item takes longer the more there are.
  expect(simulate({ items: 1_000, answerMs: 5, busyMs: 70 }).job.window.size).toBeLessThanOrEqual(40);
});
