import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';

/**
 * Appends the current state of a job to its log, which notifies subscribers on commit. The caller must have incremented `sequence` in
 * the same transaction.
 */
export async function appendChange(em: Scope['em'], jobId: string, itemIds: string[] = []): Promise<void> {
  await query(
    em,
    sql`insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count, item_ids)
        select id, sequence, status, processed_count, success_count, failed_count, ${itemIds}::uuid[] from catalog.jobs where id = ${jobId}`,
  );
}
