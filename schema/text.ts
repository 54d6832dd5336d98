/** Whether PostgreSQL can store the text: it refuses NUL characters and, in JSON, halves of surrogate pairs. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** The text without the characters that PostgreSQL cannot store. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Whether the text has more than `most` code points, which is what limits and JSON Schema count. */
export const isLonger = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most);
