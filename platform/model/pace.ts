/** Concurrent requests at first, while nothing is known of the model. */
const START = 2;
/** Rounds without growth after a growth that did not help, and after a time-out. Repeated cuts double them, up to the last number. */
const [HOLD, HOLD_OF_TIMEOUT, MAX_HOLD] = [2, 8, 64];
/** Share of a growth by which the rate must rise. A provider that queues requests is only slower. */
const GAIN = 0.25;
/** Growth of the load from which on the rate is judged. */
const JUDGED = 1.5;
/** Answers before a growth is undone. Fewer of different lengths may look like a queue. */
const EVIDENCE = 16;
/** Milliseconds of an answer below which a queue does not matter. */
const FAST = 1_000;
/** Milliseconds without requests after which only the size is remembered. */
const IDLE = 60_000;

/** A request, as its pace sees it. */
export interface Paced {
  at: number;
  /** Concurrent requests when it was sent, itself included. */
  load: number;
  /** Cuts and answers before it was sent. */
  cuts: number;
  answers: number;
}

/**
 * Concurrent requests of a process to one model, learned as TCP learns the capacity of a network. A round is as many answers as the size.
 * After a round in which the size was reached, it doubles. If the load grew but the rate did not, the provider queues: the growth is undone.
 * A time-out halves the size, at most once per round. After such cuts, growths are rarer and an eighth, until one helps.
 */
export class Pace {
  size: number;
  /** Whether the provider queues more requests than the size. Undefined until a growth or a time-out has shown it. */
  queues: boolean | undefined;
  #isCautious = false;
  /** Length of the round as a multiple of the size. */
  #rounds = 1;
  #nextHold = HOLD;
  #cuts = 0;
  #answers = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  /** The size, mean load and rate before the growth that has not been judged. */
  #before: { size: number; load: number; rate: number } | undefined;
  #round = { answers: 0, load: 0, ms: 0, peak: 0 };
  readonly #fast: number;

  /**
   * @param limit the largest size
   * @param timeoutMs time limit of a request
   * @param start the first size, if the operator knows the provider
   */
  constructor(
    private readonly limit: number,
    timeoutMs: number,
    start = START,
  ) {
    this.size = Math.min(start, limit);
    this.#fast = Math.min(FAST, timeoutMs / 4);
  }

  /** @param load concurrent requests, itself included */
  begin(load: number, at = performance.now()): Paced {
    if (load === 1 && at - this.#lastAt > IDLE) this.#forget();
    this.#lastAt = at;
    return { at, load, cuts: this.#cuts, answers: this.#answers };
  }

  answered({ at, load, cuts }: Paced, now = performance.now()): void {
    this.#answers += 1;
    this.#lastAt = now;
    // The answer of a request from before a cut says nothing about the smaller size.
    if (cuts !== this.#cuts) return;
    const round = this.#round;
    round.answers += 1;
    round.load += load;
    round.ms += now - at;
    round.peak = Math.max(round.peak, load);
    if (round.answers >= this.size * this.#rounds) this.#endRound(round.load / round.answers, round.ms / round.answers);
  }

  /**
   * Counts a time-out.
   * @returns whether other requests were answered meanwhile
   */
  timedOut({ load, cuts, answers }: Paced): boolean {
    const meanwhile = this.#answers - answers;
    // A queue would have reached a request that two whole rounds of later ones have overtaken: this request itself is slow.
    const isOvertaken = meanwhile > load + 2 * this.size;
    if (cuts === this.#cuts && !isOvertaken) this.#cut(Math.floor(this.size / 2), HOLD_OF_TIMEOUT);
    return meanwhile > 0;
  }

  #endRound(load: number, ms: number): void {
    const { answers, peak } = this.#round;
    const rate = load / ms;
    const before = this.#before;
    if (before && load >= before.load * JUDGED) {
      if (ms >= this.#fast && rate < before.rate * (1 + GAIN * (load / before.load - 1))) {
        if (answers >= EVIDENCE) this.#cut(before.size);
        return;
      }
      this.queues = false;
      this.#isCautious = false;
      this.#nextHold = HOLD;
      this.#before = undefined;
    }
    this.#round = { answers: 0, load: 0, ms: 0, peak: 0 };
    this.#rounds = 1;
    // Answers from before the growth still lower the mean load.
    const isUnjudged = this.#before !== undefined && this.size >= this.#before.size * JUDGED;
    if (peak >= this.size && this.size < this.limit && !isUnjudged) {
      this.#before ??= { size: this.size, load, rate };
      this.size = Math.min(this.limit, this.size + (this.#isCautious ? Math.ceil(this.size / 8) : this.size));
    }
  }

  #cut(size: number, hold = HOLD): void {
    this.size = Math.max(1, size);
    this.queues = true;
    this.#isCautious = true;
    this.#before = undefined;
    // A growth that does not help makes chats wait, and one that ends in a time-out wastes a request.
    this.#rounds = Math.max(hold, this.#nextHold);
    this.#nextHold = Math.min(MAX_HOLD, 2 * this.#rounds);
    this.#cuts += 1;
    this.#round = { answers: 0, load: 0, ms: 0, peak: 0 };
  }

  #forget(): void {
    this.#isCautious = false;
    this.#before = undefined;
    this.#rounds = 1;
    this.#nextHold = HOLD;
    this.#round = { answers: 0, load: 0, ms: 0, peak: 0 };
  }
}

/** A request that waits to start. */
export interface Waiting {
  organizationId: string;
  grant(): void;
}

/** Milliseconds after which a lane sends a request before all chats, so that jobs never stop. */
const YIELD_LIMIT = 10_000;

/** The requests of jobs to one model. Round robin by organization; those with fewer requests at the provider come first. */
export class JobLane {
  running = 0;
  waiting = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  readonly #running = new Map<string, number>();
  /** By organization; the one that was served last is the last. */
  readonly #queues = new Map<string, Waiting[]>();

  constructor(readonly pace: Pace) {}

  /** Whether requests wait, and none has been sent for long. */
  get isLate(): boolean {
    return this.waiting > 0 && this.running === 0 && performance.now() - this.#lastAt > YIELD_LIMIT;
  }

  add(request: Waiting): void {
    const queue = this.#queues.get(request.organizationId);
    if (queue) queue.push(request);
    else this.#queues.set(request.organizationId, [request]);
    this.waiting += 1;
  }

  /** Removes a request whose caller gave up. */
  remove(request: Waiting): void {
    const queue = this.#queues.get(request.organizationId);
    const at = queue?.indexOf(request) ?? -1;
    if (at < 0) return;
    queue!.splice(at, 1);
    if (queue!.length === 0) this.#queues.delete(request.organizationId);
    this.waiting -= 1;
  }

  /**
   * Takes the next request that may be sent.
   * @param yields whether a chat waits for the provider
   */
  next(yields: boolean): Waiting | undefined {
    const { size, queues } = this.pace;
    // Only a provider that queues makes a chat wait.
    const isYielding = yields && queues !== false;
    if (this.running >= (isYielding ? Math.floor(size / 2) : queues ? size : 2 * size) && !this.isLate) return undefined;
    let first: string | undefined;
    for (const organizationId of this.#queues.keys())
      if (first === undefined || this.#of(organizationId) < this.#of(first)) first = organizationId;
    // Until the provider is known to queue, organizations that begin do not wait for a large one.
    if (first === undefined || (!isYielding && this.#of(first) >= size)) return undefined;
    const queue = this.#queues.get(first)!;
    const request = queue.shift()!;
    this.#queues.delete(first);
    if (queue.length > 0) this.#queues.set(first, queue);
    this.waiting -= 1;
    return request;
  }

  begin({ organizationId }: Waiting): void {
    this.running += 1;
    this.#running.set(organizationId, this.#of(organizationId) + 1);
    this.#lastAt = performance.now();
  }

  end({ organizationId }: Waiting): void {
    this.running -= 1;
    const left = this.#of(organizationId) - 1;
    if (left > 0) this.#running.set(organizationId, left);
    else this.#running.delete(organizationId);
  }

  #of(organizationId: string): number {
    return this.#running.get(organizationId) ?? 0;
  }
}

/** Share of a rate limit below which the provider has no headroom. */
const RESERVE = 0.1;
/** Milliseconds after which the headers of a response are outdated, because providers count per minute. */
const VALIDITY = 60_000;
const budgets = ['requests', 'tokens'];

/** Tracks the rate limits of each model, from the `x-ratelimit-*` headers of its last response. */
export class Headroom {
  readonly #scarce = new Map<string, number>();

  read(model: string, headers: Headers, now = performance.now()): void {
    const share = (budget: string) => {
      const limit = Number(headers.get(`x-ratelimit-limit-${budget}`) ?? Number.NaN);
      const remaining = Number(headers.get(`x-ratelimit-remaining-${budget}`) ?? Number.NaN);
      return limit > 0 && remaining >= 0 ? remaining / limit : 1;
    };
    if (budgets.some((budget) => share(budget) < RESERVE)) this.#scarce.set(model, now);
    else this.#scarce.delete(model);
  }

  isLeft(now = performance.now()): boolean {
    return ![...this.#scarce.values()].some((at) => now - at < VALIDITY);
  }
}
