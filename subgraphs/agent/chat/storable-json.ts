import { storable } from '../../../schema/text.ts';

const MAX_DEPTH = 64;

/** A copy of a JSON value that PostgreSQL can store. Deeper values than 64 levels become null. */
export function storableJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => storableJson(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [storable(key), storableJson(each, depth + 1)]));
}
