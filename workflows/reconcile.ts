import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Pool } from 'pg';
import { log } from '../subgraphs/common/log.ts';
import { type JobRef, workflowId } from './contract.ts';

const START = `insert into identity.outbox (topic, payload) values ('job.start', $1)`;

const OPEN = `
  select id as "jobId", kind, organization_id as "organizationId" from catalog.jobs
   where status in ('pending', 'processing') and not paused and created_at < now() - interval '30 seconds'
  union
  select j.id, j.kind, j.organization_id from catalog.job_items i join catalog.jobs j on j.id = i.job_id
   where i.status = 'processing' and j.status = 'stopped' limit 500`;

/**
 * PostgreSQL is the only truth: a job that is open there, or was stopped with items in hand, and has no running workflow
 * (Temporal lost its data, somebody terminated it) gets one again.
 */
export async function reconcileJobs(pool: Pool, client: Client): Promise<void> {
  const { rows } = await pool.query<JobRef>(OPEN);
  for (const job of rows) {
    if (await isRunning(client, job)) continue;
    log.warn({ jobId: job.jobId, kind: job.kind }, 'an open job had no running workflow; it is started again');
    await pool.query(START, [JSON.stringify(job)]);
  }
}

async function isRunning(client: Client, job: JobRef): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId(job)).describe();
    return status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
