/** One paragraph, or one heading of level 1 to 6. */
export interface Line {
  level?: number;
  text: string;
}

/** Starts a marked heading, followed by its level. No readable text contains it. */
export const MARK = '\u0001';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the mark is a control character
const MARKS = /\u0001\d/g;

/** The text with its headings as ordinary lines. */
export const withoutMarks = (text: string): string => text.replace(MARKS, '');

/** Split text whose headings are marked. */
export function linesOf(marked: string): Line[] {
  return marked.split('\n').flatMap((line): Line[] => {
    const text = withoutMarks(line).trim();
    if (text === '') return [];
    return [line.startsWith(MARK) ? { level: Number(line[1]), text } : { text }];
  });
}
