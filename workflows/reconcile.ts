import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Pool } from 'pg';
import type { JobRef, SourceRef, TestRunRef } from '../platform/queues/index.ts';
import { log } from '../platform/telemetry/index.ts';
import { ofPresentAgent } from '../subgraphs/agent/agents/entity.ts';
import { sourceWorkflowId, testRunWorkflowId, workflowId } from './contract.ts';

const PAGE = 500;
/** Workflows described at a time. */
const WIDTH = 10;
/** Milliseconds within which Temporal must describe a workflow. */
const TIMEOUT = 10_000;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** Records whose workflow may be missing. */
interface Records {
  /** Selects `payload`, the message that starts the workflow, in the order of `id`, after `$1`. */
  open: string;
  topic: 'job.start' | 'source.start' | 'test-run.start';
  /** The key of the payload that identifies the record. */
  key: 'jobId' | 'sourceId' | 'runId';
  workflowIdOf(payload: never): string;
}

const jobs: Records = {
  open: `
    (select id, kind, organization_id from catalog.jobs
      where id > $1 and status in ('pending', 'processing') and not paused and created_at < now() - interval '30 seconds'
      order by id limit ${PAGE})
    union
    (select j.id, j.kind, j.organization_id
       from (select distinct job_id from catalog.job_items where status = 'processing' and job_id > $1) i
       join catalog.jobs j on j.id = i.job_id and j.status = 'stopped' order by j.id limit ${PAGE})`,
  topic: 'job.start',
  key: 'jobId',
  workflowIdOf: (job: JobRef) => workflowId(job),
};

/** Queued sources whose turn has not come have no workflow, and those of an agent that is being removed need none. */
const sources = (perOrganization: number): Records => ({
  open: `
    select id, 'source' as kind, organization_id from (
      select *, row_number() over (partition by organization_id order by status = 'queued', queued_at, id) as place
        from agent.sources s where status not in ('ready', 'failed')
         and ${ofPresentAgent('s')}) open
     where id > $1 and (status <> 'queued' or place <= ${perOrganization}) and updated_at < now() - interval '30 seconds'`,
  topic: 'source.start',
  key: 'sourceId',
  workflowIdOf: (source: SourceRef) => sourceWorkflowId(source),
});

/** Test runs of agents that are not being removed. */
const testRuns: Records = {
  open: `
    select id, 'test-run' as kind, organization_id from agent.test_runs r
     where id > $1 and status in ('pending', 'processing') and created_at < now() - interval '30 seconds' and ${ofPresentAgent('r')}`,
  topic: 'test-run.start',
  key: 'runId',
  workflowIdOf: (run: TestRunRef) => testRunWorkflowId(run),
};

const pageOf = ({ open, key }: Records) => `
  select id, jsonb_build_object('${key}', id, 'kind', kind, 'organizationId', organization_id) as payload
    from (${open}) open order by id limit ${PAGE}`;

/** Inserts nothing when the outbox already holds the message, as it does while Temporal is unreachable. */
const startOf = ({ topic, key }: Records) => `
  insert into identity.outbox (topic, payload) select '${topic}', $1::jsonb
   where not exists (select 1 from identity.outbox where topic = '${topic}' and payload ->> '${key}' = $1::jsonb ->> '${key}')
  returning id`;

/** Restarts missing workflows of jobs that are open, or that were stopped with items in progress. */
export const jobReconciler = (pool: Pool, client: Client) => reconciler(pool, client, jobs);

/**
 * Restarts missing workflows of knowledge sources that are being indexed, or that may begin.
 * @param perOrganization sources of one organization that are indexed at the same time
 */
export const sourceReconciler = (pool: Pool, client: Client, perOrganization: number) =>
  reconciler(pool, client, sources(perOrganization));

/** Restarts missing workflows of open test runs. */
export const testRunReconciler = (pool: Pool, client: Client) => reconciler(pool, client, testRuns);

/**
 * A workflow is missing after an operator terminated it, or after Temporal lost its data. Each call of the returned function checks all
 * records in the order of their ids. After a failure, the next call continues where this one stopped.
 */
function reconciler(pool: Pool, client: Client, records: Records): () => Promise<void> {
  let after = FIRST;
  let running: Promise<void> | undefined;

  const run = async () => {
    for (;;) {
      const { rows } = await pool.query<{ id: string; payload: never }>(pageOf(records), [after]);
      for (let at = 0; at < rows.length; at += WIDTH) {
        const batch = rows.slice(at, at + WIDTH);
        after = batch.at(-1)!.id;
        const results = await Promise.allSettled(batch.map(({ payload }) => restartOrphan(pool, client, records, payload)));
        const errors = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
        // One broken workflow must not block the records behind it. If all calls fail, Temporal or PostgreSQL is down.
        if (errors.length === batch.length) throw errors[0];
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

async function restartOrphan(pool: Pool, client: Client, records: Records, payload: never): Promise<void> {
  const id = records.workflowIdOf(payload);
  if (await isRunning(client, id)) return;
  const { rowCount } = await pool.query(startOf(records), [JSON.stringify(payload)]);
  if (rowCount) log.warn({ workflowId: id }, 'Restarting a missing workflow');
}

async function isRunning(client: Client, id: string): Promise<boolean> {
  try {
    const workflow = client.workflow.getHandle(id);
    const { status } = await client.withDeadline(Date.now() + TIMEOUT, () => workflow.describe());
    return status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
