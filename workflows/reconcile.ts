import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Pool } from 'pg';
import { log } from '../subgraphs/common/log.ts';
import { type JobRef, workflowId } from './contract.ts';

const PAGE = 500;
/** Workflows described at a time. */
const WIDTH = 10;
/** Milliseconds within which Temporal must describe a workflow. */
const TIMEOUT = 10_000;
const FIRST = '00000000-0000-0000-0000-000000000000';

const OPEN = `
  (select id as "jobId", kind, organization_id as "organizationId" from catalog.jobs
    where id > $1 and status in ('pending', 'processing') and not paused and created_at < now() - interval '30 seconds'
    order by id limit ${PAGE})
  union
  (select j.id, j.kind, j.organization_id
     from (select distinct job_id from catalog.job_items where status = 'processing' and job_id > $1) i
     join catalog.jobs j on j.id = i.job_id and j.status = 'stopped' order by j.id limit ${PAGE})
  order by "jobId" limit ${PAGE}`;

/** Inserts nothing when the outbox already holds the message, as it does while Temporal is unreachable. */
const START = `
  insert into identity.outbox (topic, payload) select 'job.start', $1::jsonb
   where not exists (select 1 from identity.outbox where topic = 'job.start' and payload ->> 'jobId' = $1::jsonb ->> 'jobId')
  returning id`;

/**
 * Restarts missing workflows of jobs that are open, or that were stopped with items in progress. A workflow is missing after an operator
 * terminated it, or after Temporal lost its data. Each call of the returned function checks all jobs in the order of their ids. After a
 * failure, the next call continues where this one stopped.
 */
export function jobReconciler(pool: Pool, client: Client): () => Promise<void> {
  let after = FIRST;
  let running: Promise<void> | undefined;

  const run = async () => {
    for (;;) {
      const { rows } = await pool.query<JobRef>(OPEN, [after]);
      for (let at = 0; at < rows.length; at += WIDTH) {
        const jobs = rows.slice(at, at + WIDTH);
        after = jobs.at(-1)!.jobId;
        const results = await Promise.allSettled(jobs.map((job) => restartOrphan(pool, client, job)));
        const errors = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
        // One broken workflow must not block the jobs behind it. If all calls fail, Temporal or PostgreSQL is down.
        if (errors.length === jobs.length) throw errors[0];
        for (const error of errors) log.warn({ err: error }, 'Failed to describe a workflow');
      }
      if (rows.length < PAGE) break;
    }
    after = FIRST;
  };
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function restartOrphan(pool: Pool, client: Client, job: JobRef): Promise<void> {
  if (await isRunning(client, job)) return;
  const { rowCount } = await pool.query(START, [JSON.stringify(job)]);
  if (rowCount) log.warn({ jobId: job.jobId, kind: job.kind }, 'Restarting the missing workflow of an open job');
}

async function isRunning(client: Client, job: JobRef): Promise<boolean> {
  try {
    const workflow = client.workflow.getHandle(workflowId(job));
    const { status } = await client.withDeadline(Date.now() + TIMEOUT, () => workflow.describe());
    return status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
