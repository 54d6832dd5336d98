import { storable } from './text.ts';

export type JsonObject = Record<string, unknown>;

/** Whether a JSON value is an object: not an array, null or a scalar. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_DEPTH = 64;

/**
 * A copy of a JSON value that PostgreSQL can store. Deeper values than 64 levels become null.
 * @param depth the level of the value; -1 if it wraps values that count from their own first level
 */
export const storableJson = <T>(value: T, depth = 0): T => storableCopy(value, depth) as T;

function storableCopy(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => storableCopy(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [storable(key), storableCopy(each, depth + 1)]));
}
