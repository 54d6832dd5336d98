import type { Pool } from 'pg';
import { sweepChanges } from '../../subgraphs/catalog/live/retention.ts';

export type ChangeActivities = ReturnType<typeof changeActivities>;

export const changeActivities = (pool: Pool) => ({
  sweepChanges: () => sweepChanges(pool),
});
