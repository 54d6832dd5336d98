/** Numbers the changes of long work, so that subscribers who return miss nothing and see nothing twice. */

export { followChanges } from './follower.ts';
export { AFTER, type Change, type ChangeLog, PAGE_SIZE, SNAPSHOT, withRetry } from './progress-feed.ts';
