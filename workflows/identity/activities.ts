import type { Pool } from 'pg';
import { sweepAudit } from '../../subgraphs/common/audit/retention.ts';
import { sweepSessions } from '../../subgraphs/common/identity/retention.ts';

export type IdentityActivities = ReturnType<typeof identityActivities>;

export const identityActivities = (pool: Pool) => ({
  sweepSessions: () => sweepSessions(pool),
  sweepAudit: () => sweepAudit(pool),
});
