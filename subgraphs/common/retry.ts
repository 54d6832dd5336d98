/** Bounds of an exponential back-off, in milliseconds. */
export interface Backoff {
  /** Delay after the first failure; each further failure doubles it. */
  shortest: number;
  longest: number;
}

/** Exponents above this exceed every useful delay and would approach infinity. */
const LARGEST_EXPONENT = 40;

/** Milliseconds to wait after this many failures in a row, from 1. Finite and within the bounds for every number. */
export function delayAfter(failures: number, { shortest, longest }: Backoff): number {
  const exponent = Math.min(Math.max(failures - 1, 0), LARGEST_EXPONENT);
  return Math.min(shortest * 2 ** exponent, longest);
}

/** PostgreSQL refuses an `integer` above this, and with it the whole statement. */
const LARGEST_INTEGER = 2_147_483_647;

/** SQL that increments an `integer` column and stays at the largest value instead of overflowing. */
export const increment = (column: string) => `least(${column}, ${LARGEST_INTEGER - 1}) + 1`;
