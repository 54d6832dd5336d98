export type JsonObject = Record<string, unknown>;

/** Whether a JSON value is an object: not an array, null or a scalar. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
