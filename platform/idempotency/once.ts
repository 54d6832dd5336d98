import type { RequestScope, Settle } from '../scope/index.ts';
import { claimKey, releaseClaim, settleClaim, startRenewal, type Use } from './claims.ts';

/**
 * Run `work` once per use of a key, and repeat its value for a day. `work` calls `settle` with the value in the transaction of its writes.
 * @param shownOnce properties of the value that are not stored, and null in the response to a retry
 */
export async function runOnce(
  { services: { pool }, signal }: RequestScope,
  use: Use,
  work: (settle: Settle) => Promise<unknown>,
  shownOnce: readonly string[] = [],
): Promise<unknown> {
  const claimed = await claimKey(pool, use, signal);
  if ('value' in claimed) return claimed.value;

  const renewal = startRenewal(pool, claimed);
  const answer: { value?: unknown } = {};
  const settle: Settle = async (inner, value) => {
    renewal.stop();
    answer.value = plain(value);
    await settleClaim(inner, claimed, without(answer.value, shownOnce));
    return answer.value;
  };
  try {
    await work(settle);
    if (!('value' in answer)) throw new Error('An idempotent operation must write by its scope');
    return answer.value;
  } catch (error) {
    releaseClaim(pool, claimed);
    throw error;
  } finally {
    renewal.stop();
  }
}

/** Convert entities to plain objects, so that the first response equals the repeated one. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Date || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

const without = (value: unknown, names: readonly string[]): unknown =>
  names.length === 0 ? value : { ...(value as object), ...Object.fromEntries(names.map((name) => [name, null])) };
