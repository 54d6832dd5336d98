/** Numbers the changes of long work, so that subscribers who return miss nothing and see nothing twice. */
export { type Change, type ChangeLog, PAGE_SIZE, withRetry } from './change-log.ts';
export { AFTER, SNAPSHOT } from './descriptions.ts';
export { followChanges } from './follower.ts';
