import { proxyActivities } from '@temporalio/workflow';
import type { IdentityActivities } from './activities.ts';

const { sweepSessions, sweepAudit } = proxyActivities<IdentityActivities>({
  startToCloseTimeout: '10 minutes',
  // The schedule runs again in an hour.
  retry: { maximumAttempts: 1 },
});

/** Delete sessions and sign-in links that ended, responses of idempotent requests after a day, and old entries of the audit log. */
export async function sweepIdentity(): Promise<void> {
  await sweepSessions();
  await sweepAudit();
}
