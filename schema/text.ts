/** Whether PostgreSQL can store the text: it refuses NUL characters and, in JSON, halves of surrogate pairs. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** The text without the characters that PostgreSQL cannot store. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();
