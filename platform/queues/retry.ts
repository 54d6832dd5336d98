/** Bounds of an exponential back-off, in milliseconds. */
export interface Backoff {
  /** Delay after the first failure; each further failure doubles it. */
  shortest: number;
  longest: number;
}

/** Larger exponents exceed every useful delay and approach infinity. */
const LARGEST_EXPONENT = 40;

/** Milliseconds to wait after this many consecutive failures, starting at 1. */
export function delayAfter(failures: number, { shortest, longest }: Backoff): number {
  const exponent = Math.min(Math.max(failures - 1, 0), LARGEST_EXPONENT);
  return Math.min(shortest * 2 ** exponent, longest);
}

/** Maximum of the PostgreSQL type `integer`. */
const LARGEST_INTEGER = 2_147_483_647;

/** SQL that increments an `integer` column and stays at the largest value instead of overflowing. */
export const increment = (column: string) => `least(${column}, ${LARGEST_INTEGER - 1}) + 1`;
