import type { Pool } from 'pg';
import { sweepAudit } from '../../subgraphs/common/audit/retention.ts';
import { sweepResponses } from '../../subgraphs/common/idempotency/retention.ts';
import { sweepSessions } from '../../subgraphs/common/identity/retention.ts';

export type IdentityActivities = ReturnType<typeof identityActivities>;

export const identityActivities = (pool: Pool) => ({
  // In one activity, because another would diverge from histories of earlier versions.
  sweepSessions: async () => (await sweepSessions(pool)) + (await sweepResponses(pool)),
  sweepAudit: () => sweepAudit(pool),
});
