/** Logs, metrics and traces. Secrets are redacted. */
export { log, withLogFields } from './log.ts';
export {
  chatReplies,
  creditsRefunded,
  creditsSpent,
  jobItemSeconds,
  jobItems,
  jobsEnded,
  modelCallSeconds,
  modelTokens,
  webhookAttemptSeconds,
  webhookAttempts,
} from './process-metrics.ts';
export { continueTrace, currentTrace, endWith, inSpan, startSpan, startSpanWithId } from './trace-context.ts';
