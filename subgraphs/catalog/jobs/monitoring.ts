import type { Pool } from 'pg';
import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';

/** The result of a job, which operators see in the Temporal UI. */
export interface JobResult {
  status: string;
  total: number;
  succeeded: number;
  failed: number;
  /** The most frequent error messages. */
  errors: { message: string; items: number }[];
}

const MAX_ERRORS = 5;

/** The counts and errors of a job. All are zero for a deleted job. */
export async function readResult({ em, organizationId }: Scope, jobId: string): Promise<JobResult> {
  const [job] = await query(
    em,
    sql<
      Omit<JobResult, 'errors'>
    >`select status, total_count as total, success_count as succeeded, failed_count as failed from catalog.jobs
                                    where id = ${jobId} and organization_id = ${organizationId}`,
  );
  if (!job) return { status: 'deleted', total: 0, succeeded: 0, failed: 0, errors: [] };
  const errors = await query(
    em,
    sql<JobResult['errors'][number]>`select error_message as message, count(*)::int as items from catalog.job_items
                                      where job_id = ${jobId} and organization_id = ${organizationId} and status = 'failed'
                                      group by 1 order by 2 desc, 1 limit ${MAX_ERRORS}`,
  );
  return { ...job, errors };
}

interface OpenJobs {
  kind: string;
  status: 'pending' | 'processing';
  jobs: number;
  /** Items that have not ended. */
  items: number;
}

/** Jobs of all organizations that have not ended, and their open items, by kind and status. Paused jobs are not included. */
export async function readOpenJobs(pool: Pool): Promise<OpenJobs[]> {
  const { rows } = await pool.query<{ kind: string; status: OpenJobs['status']; jobs: string; items: string }>(
    `select kind, status, count(*) as jobs, sum(total_count - processed_count) as items from catalog.jobs
      where status in ('pending', 'processing') and not paused group by kind, status`,
  );
  return rows.map(({ jobs, items, ...of }) => ({ ...of, jobs: Number(jobs), items: Number(items) }));
}
