import { Pace, type Paced } from '../../platform/model/pace.ts';

const ANSWER_MS = 2_000;

/** A provider with slots that take an answer each, in simulated time. Jobs always have more requests than the pace allows. */
class SimulatedProvider {
  now = 0;
  timeouts = 0;
  answered = 0;
  largest = 0;
  readonly #inFlight: { request: Paced; endsAt: number; times: number }[] = [];
  readonly #slots: number[];

  constructor(
    readonly pace: Pace,
    slots: number,
    private readonly timeoutMs = 20_000,
    private readonly answerMs: () => number = () => ANSWER_MS,
  ) {
    this.#slots = Array(slots).fill(0);
  }

  run(answers: number): this {
    for (const until = this.answered + answers; this.answered < until; ) {
      while (this.#inFlight.length < this.pace.size) this.#send();
      this.largest = Math.max(this.largest, this.#inFlight.length);
      this.#endNext();
    }
    return this;
  }

  #send(): void {
    const slot = this.#slots.indexOf(Math.min(...this.#slots));
    const endsAt = Math.max(this.now, this.#slots[slot]!) + this.answerMs();
    // A server drops the request of a closed connection before it begins.
    const isLate = endsAt > this.now + this.timeoutMs;
    if (!isLate) this.#slots[slot] = endsAt;
    const request = this.pace.begin(this.#inFlight.length + 1, this.now);
    this.#inFlight.push({ request, endsAt: isLate ? Number.POSITIVE_INFINITY : endsAt, times: this.now + this.timeoutMs });
  }

  #endNext(): void {
    this.#inFlight.sort((a, b) => Math.min(a.endsAt, a.times) - Math.min(b.endsAt, b.times));
    const { request, endsAt, times } = this.#inFlight.shift()!;
    this.now = Math.min(endsAt, times);
    if (endsAt <= times) {
      this.answered += 1;
      this.pace.answered(request, this.now);
    } else {
      this.timeouts += 1;
      this.pace.timedOut(request);
    }
  }
}

test('a server with one slot gets few requests at a time, which never time out', () => {
  const provider = new SimulatedProvider(new Pace(1_000, 20_000), 1).run(300);
  expect(provider.largest).toBeLessThanOrEqual(4);
  expect(provider.timeouts).toBe(0);
  expect(provider.now).toBe(300 * ANSWER_MS);
  expect(provider.pace.queues).toBe(true);
});

test.each([2, 8, 32])('a server with %d slots keeps nearly all of them busy', (slots) => {
  const provider = new SimulatedProvider(new Pace(1_000, 120_000), slots, 120_000).run(100 * slots);
  expect(provider.now).toBeLessThan(1.2 * 100 * ANSWER_MS + 10 * ANSWER_MS);
  expect(provider.largest).toBeLessThanOrEqual(4 * slots);
});

test('a provider that serves all requests at once gets as many as the limit after a few rounds', () => {
  const provider = new SimulatedProvider(new Pace(100, 120_000), 1_000).run(2_000);
  expect(provider.pace).toMatchObject({ size: 100, queues: false });
  // A window of 100 from the start takes 40 s.
  expect(provider.now).toBeLessThan(60_000);
});

test('answers of different lengths hardly look like a queue', () => {
  const seconds = Array.from({ length: 100 }, (_, seed) => {
    const provider = new SimulatedProvider(new Pace(100, 120_000), 200, 120_000, variedAnswers(seed)).run(2_000);
    return provider.now / 1_000;
  }).sort((a, b) => a - b);
  // A window of 100 from the start takes 40 s, and doubling from two requests 12 s more.
  expect(seconds[75]).toBeLessThan(60);
  expect(seconds[90]).toBeLessThan(85);
});

/** Milliseconds of answers, from a fourth to some four times their mean: log-normal, from a linear congruential generator. */
function variedAnswers(seed: number): () => number {
  let state = seed * 7_919 + 1;
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
  return () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return ANSWER_MS * Math.exp(0.5 * normal - 0.125);
  };
}

test('time-outs halve the size down to one, at most once per round', () => {
  const pace = new Pace(1_000, 20_000);
  pace.size = 16;
  const first = Array.from({ length: 16 }, () => pace.begin(16, 0));
  for (const request of first) pace.timedOut(request);
  expect(pace.size).toBe(8);
  for (const size of [4, 2, 1, 1]) {
    pace.timedOut(pace.begin(8, 0));
    expect(pace.size).toBe(size);
  }
});

test('a time-out is a sign of a full queue only while other requests are answered', () => {
  const pace = new Pace(1_000, 20_000);
  const [first, second] = [pace.begin(1, 0), pace.begin(2, 0)];
  expect(pace.timedOut(first)).toBe(false);
  pace.answered(pace.begin(2, 0), 5);
  expect(pace.timedOut(second)).toBe(true);
});

test('a request that many later ones have overtaken does not slow down the others', () => {
  const provider = new SimulatedProvider(new Pace(100, 120_000), 1_000).run(2_000);
  const slow = provider.pace.begin(100, provider.now);
  provider.run(400);
  expect(provider.pace.timedOut(slow)).toBe(true);
  expect(provider.pace.size).toBe(100);
});

test('answers that always take longer than the time limit beside another one cost ever fewer time-outs', () => {
  // With 15 s an answer and a time limit of 20 s, only one request at a time succeeds.
  const pace = new Pace(1_000, 20_000);
  let [now, timeouts] = [0, 0];
  for (let answers = 0; answers < 200; ) {
    const requests = Array.from({ length: pace.size }, (_, at) => pace.begin(at + 1, now));
    pace.answered(requests[0]!, now + 15_000);
    answers += 1;
    now += 20_000;
    for (const request of requests.slice(1)) {
      pace.timedOut(request);
      timeouts += 1;
    }
  }
  expect(timeouts).toBeLessThan(10);
});
