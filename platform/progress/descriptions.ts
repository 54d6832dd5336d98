/** Description of the field `isSnapshot` of an update. */
export const SNAPSHOT =
  'Whether the update shows the current state instead of changes. A subscription starts with it if `after` is missing, older than the stored changes, or no number of an update.';

/** Description of the argument `after` of a subscription that can start with a snapshot. */
export const AFTER =
  'The last `sequence` that the client received. Without it, the subscription starts with the current state. 0 starts with the first change that is stored.';
