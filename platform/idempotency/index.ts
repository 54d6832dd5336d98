/** Runs an operation once for each `Idempotency-Key` of its caller, and repeats the stored response. */
export { dropResponsesWith, sweepResponses } from './claims.ts';
export { IDEMPOTENT, Idempotent, type KeyOwner } from './idempotent.ts';
