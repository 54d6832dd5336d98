/** A position in the changes of a list: `12`, or `12-40` for a reader that has not yet reached the end of the list. */
export interface Cursor {
  /** The last revision that was read; 0 before the first. */
  last: number;
  /** The newest revision when the reader began at 0. It needs no deletions up to this one, because it began without records. */
  begun: number;
}

export const CURSOR = /^\d{1,15}(-\d{1,15})?$/;

export function readCursor(text: string): Cursor {
  const [last = 0, begun = last] = text.split('-').map(Number);
  return { last, begun: Math.max(last, begun) };
}

/** The changes between `last` and `begun` were all read at the end of a list, or forgotten. */
export const writeCursor = ({ last, begun }: Cursor, hasMore: boolean): string =>
  hasMore && last < begun ? `${last}-${begun}` : String(Math.max(last, begun));
