import type { Pool } from 'pg';

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
