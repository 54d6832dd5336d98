import { storable } from './text.ts';

export type JsonObject = Record<string, unknown>;

/** Whether a JSON value is an object: not an array, null or a scalar. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses JSON. Whole numbers that JavaScript would round, such as ids of 19 digits, become their text. */
export const parseExactly = (text: string): unknown => (/\d{16}/.test(text) ? JSON.parse(text, exactValue) : JSON.parse(text));

/** The types of TypeScript do not know the third parameter, the text of a number. */
function exactValue(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context!.source!);
  return isRounded ? context!.source : value;
}

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
