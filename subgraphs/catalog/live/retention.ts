import type { Pool } from 'pg';
import { maintainPartitions, type PartitionedTable } from '../../../platform/database/index.ts';

/** The logs that subscribers follow. They can resume for 30 days. */
export const changeLogs: readonly PartitionedTable[] = [
  { name: 'catalog.job_changes', days: 30 },
  { name: 'catalog.organization_changes', days: 30 },
];

/** Drop the weeks whose changes are too old, and prepare the next ones. Returns the number of dropped partitions. */
export async function sweepChanges(pool: Pool): Promise<number> {
  let dropped = 0;
  for (const table of changeLogs) dropped += await maintainPartitions(pool, table);
  return dropped;
}
