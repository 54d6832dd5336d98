/** Concurrent requests at first, while nothing is known of the model. */
const START = 2;
/** Rounds without growth after a growth that did not help, or after a cut. Repeated cuts double it, up to the second number. */
const [HOLD, MAX_HOLD] = [8, 128];
/** Share of a growth by which the rate must rise. A provider that queues requests is only slower. */
const GAIN = 0.25;
/** Growth of the load from which on the rate is judged. */
const JUDGED = 1.5;
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
 * After a round in which the size was reached, it doubles. If the load grew but the rate did not, the provider queues: the growth is undone,
 * and the next ones are an eighth until one helps. A time-out halves the size, at most once per round.
 */
export class Pace {
  size: number;
  /** Whether the provider queues more requests than the size. Undefined until a growth or a time-out has shown it. */
  queues: boolean | undefined;
  #isCautious = false;
  #holds = 0;
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
    if (round.answers >= this.size) this.#endRound(round.load / round.answers, round.ms / round.answers, round.peak);
  }

  /**
   * Counts a time-out.
   * @returns whether other requests were answered meanwhile
   */
  timedOut({ load, cuts, answers }: Paced): boolean {
    const meanwhile = this.#answers - answers;
    // A queue would have reached a request that two whole rounds of later ones have overtaken: this request itself is slow.
    const isOvertaken = meanwhile > load + 2 * this.size;
    if (cuts === this.#cuts && !isOvertaken) this.#cut();
    return meanwhile > 0;
  }

  #endRound(load: number, ms: number, peak: number): void {
    const rate = load / ms;
    const before = this.#before;
    this.#round = { answers: 0, load: 0, ms: 0, peak: 0 };
    if (before && load >= before.load * JUDGED) {
      this.#before = undefined;
      if (ms >= this.#fast && rate < before.rate * (1 + GAIN * (load / before.load - 1))) {
        this.#revert(before.size);
        return;
      }
      this.queues = false;
      this.#isCautious = false;
      this.#nextHold = HOLD;
    }
    // Answers from before the growth still lower the mean load.
    const isUnjudged = this.#before !== undefined && this.size >= this.#before.size * JUDGED;
    if (this.#holds > 0) this.#holds -= 1;
    else if (peak >= this.size && this.size < this.limit && !isUnjudged) {
      this.#before ??= { size: this.size, load, rate };
      this.size = Math.min(this.limit, this.size + (this.#isCautious ? Math.ceil(this.size / 8) : this.size));
    }
  }

  #revert(size: number): void {
    this.size = Math.min(this.size, size);
    this.queues = true;
    this.#isCautious = true;
    this.#holds = HOLD;
  }

  #cut(): void {
    this.size = Math.max(1, Math.floor(this.size / 2));
    this.queues = true;
    this.#isCautious = true;
    this.#before = undefined;
    // Each growth that ends in a time-out wastes a request, so they become rare.
    this.#holds = this.#nextHold;
    this.#nextHold = Math.min(MAX_HOLD, 2 * this.#nextHold);
    this.#cuts += 1;
    this.#round = { answers: 0, load: 0, ms: 0, peak: 0 };
  }

  #forget(): void {
    this.#isCautious = false;
    this.#before = undefined;
    this.#holds = 0;
    this.#nextHold = HOLD;
    this.#round = { answers: 0, load: 0, ms: 0, peak: 0 };
  }
}
