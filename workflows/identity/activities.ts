import type { Pool } from 'pg';
import { sweepSessions } from '../../subgraphs/common/identity/retention.ts';

export type IdentityActivities = ReturnType<typeof identityActivities>;

export const identityActivities = (pool: Pool) => ({
  sweepSessions: () => sweepSessions(pool),
});
