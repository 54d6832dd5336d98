import type { Pool } from 'pg';
import { sweepChanges } from '../../subgraphs/catalog/live/retention.ts';
import { pruneChanges } from '../../subgraphs/site-content/content/change-retention.ts';

export type ChangeActivities = ReturnType<typeof changeActivities>;

export const changeActivities = (pool: Pool) => ({
  sweepChanges: async () => (await sweepChanges(pool)) + (await pruneChanges(pool)),
});
