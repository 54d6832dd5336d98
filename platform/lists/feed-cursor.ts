/** A position in a feed of numbered changes: `12`, or `12-40` for a reader that has not yet reached the end of its first read. */
export interface FeedCursor {
  /** The last change that was read; 0 before the first. */
  last: number;
  /** The newest change when the reader began at 0. It needs no deletions up to this one, because it began without records. */
  begun: number;
}

export const FEED_CURSOR = /^\d{1,15}(-\d{1,15})?$/;

/** Read a text that matches `FEED_CURSOR`. */
export function readFeedCursor(text: string): FeedCursor {
  const [last = 0, begun = last] = text.split('-').map(Number);
  return { last, begun: Math.max(last, begun) };
}

/** The cursor after a page. At the end of the feed, no other change up to `begun` is left for the reader. */
export const writeFeedCursor = ({ last, begun }: FeedCursor, hasMore: boolean): string =>
  hasMore && last < begun ? `${last}-${begun}` : String(Math.max(last, begun));
