/** Whether PostgreSQL can store the text. It rejects NUL characters and, in JSON, lone surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Removes NUL characters and replaces lone surrogates, which PostgreSQL cannot store. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Whether the text has more than `max` code points, the unit of all limits and of JSON Schema. */
export const isLonger = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || [...text].length > max);
