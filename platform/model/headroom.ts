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
