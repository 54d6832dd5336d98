import type { Pool } from 'pg';
import { sweepResponses } from '../../platform/idempotency/index.ts';
import { sweepAudit, sweepSessions } from '../../platform/identity/index.ts';

export type IdentityActivities = ReturnType<typeof identityActivities>;

export const identityActivities = (pool: Pool) => ({
  // In one activity, because another would diverge from histories of earlier versions.
  sweepSessions: async () => (await sweepSessions(pool)) + (await sweepResponses(pool)),
  sweepAudit: () => sweepAudit(pool),
});
