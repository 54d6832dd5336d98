import { fail } from '../../schema/errors.ts';
import type { Parts } from '../request/variables.ts';

/** Arguments that are no input of a row. */
export const ownArguments = { organization: 'organization', idempotencyKey: 'idempotency_key', wait: 'wait_seconds' } as const;

/** Seconds that a tool call waits for a stream. Clients of the SDK time out after 60 seconds without progress. */
export const USUAL_WAIT = 50;
export const MAX_WAIT = 600;

export type Arguments = Readonly<Record<string, unknown>>;

/** The arguments as the parts of a REST request: path parameters by name, and everything else in the body. */
export function partsOf(given: Arguments, params: readonly string[]): Parts {
  const own: readonly string[] = Object.values(ownArguments);
  const body: Record<string, unknown> = Object.create(null);
  const path: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (own.includes(name)) continue;
    if (!params.includes(name)) body[name] = value;
    else if (typeof value === 'string') path[name] = value;
    else throw fail('INVALID_INPUT', `${name} must be a string`);
  }
  return { params: path, query: {}, body: { ...body }, headers: {} };
}

/** Read an argument that is text. Throws `INVALID_INPUT`. */
export function readText(given: Arguments, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw fail('INVALID_INPUT', `${name} must be a string`);
  return value;
}

/** Read the milliseconds to wait for a stream. Throws `INVALID_INPUT`. */
export function readWait(given: Arguments): number {
  const value = given[ownArguments.wait] ?? USUAL_WAIT;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_WAIT) return value * 1_000;
  throw fail('INVALID_INPUT', `${ownArguments.wait} must be a whole number from 1 to ${MAX_WAIT}`);
}
