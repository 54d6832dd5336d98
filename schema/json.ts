export type JsonObject = Record<string, unknown>;

/** Tells objects from arrays, null and scalars in a JSON value. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
