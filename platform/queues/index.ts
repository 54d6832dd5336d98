/** Waiting for work: the outbox, notifications, retries, background tasks, deadlines, slots and turns. */
export { BackgroundTasks, Deadline, FairQueue, Slots, type Stop, stopFully } from './background.ts';
export { Notifications } from './notifications.ts';
export {
  type JobRef,
  type LabelMoveRef,
  post,
  type SourceRef,
  type TestRunRef,
  type Topic,
  type Topics,
  type VariantsRef,
} from './outbox.ts';
export { type Backoff, delayAfter, increment, QueueWorker } from './queue-worker.ts';
