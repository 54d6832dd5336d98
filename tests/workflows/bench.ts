import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { workflowBundle } from '../../workflows/bundle.ts';
import { type JobRef, sourceTaskQueue, sourceWorkflowId, workflowId } from '../../workflows/contract.ts';
import type { ItemRef, JobActivities } from '../../workflows/job/activities.ts';
import type { runJob } from '../../workflows/job/workflow.ts';
import type { SourceActivities } from '../../workflows/source/activities.ts';
import type { indexSource } from '../../workflows/source/workflow.ts';

export type Bench = Awaited<ReturnType<typeof openBench>>;
export type Handle = WorkflowHandle<typeof runJob>;

/** A real Temporal server and workflow with fake activities. */
export async function openBench(address = process.env.TEST_TEMPORAL_ADDRESS!) {
  Runtime.install({
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });
  const bundle = await workflowBundle();
  const connection = await Connection.connect({ address });
  const nativeConnection = await NativeConnection.connect({ address });
  const client = new Client({ connection });

  return {
    workflowBundle: bundle,
    /** Run a job of this many items until it finishes; `fake` receives the workflow handle. */
    async run(count: number, fake: (job: () => Handle) => Partial<JobActivities>, concurrency = 1): Promise<Handle> {
      const job = { kind: 'product-enrichment', jobId: randomUUID(), organizationId: randomUUID() };
      const handle = () => client.workflow.getHandle<typeof runJob>(workflowId(job));
      const activities: JobActivities = {
        ...fakeActivities(),
        beginJob: async () => ({ concurrency, open: true }),
        openItems: async (_, after, limit) => itemsOf(job, count, after, limit),
        jobResult: async () => ({ status: 'completed', total: count, succeeded: count, failed: 0, errors: [] }),
        ...fake(handle),
      };
      const taskQueue = `bench-${job.jobId}`;
      const worker = await Worker.create({ connection: nativeConnection, taskQueue, workflowBundle: bundle, activities });
      await worker.runUntil(
        client.workflow.execute<typeof runJob>('runJob', { taskQueue, workflowId: workflowId(job), args: [job] }),
      );
      return handle();
    },
    /** Index a source until its workflow ends. */
    async index(fake: Partial<SourceActivities>): Promise<WorkflowHandle<typeof indexSource>> {
      const source = { sourceId: randomUUID(), organizationId: randomUUID() };
      const done = async () => ({ step: 'done' as const });
      const steps = { discoverPages: done, crawlPage: done, chunkSource: done, embedChunks: done, publishChunks: done };
      const activities: Partial<SourceActivities> = { beginSource: done, ...steps, failSource: async () => {}, ...fake };
      const taskQueue = `bench-${source.sourceId}`;
      const worker = await Worker.create({ connection: nativeConnection, activities, taskQueue: sourceTaskQueue(taskQueue) });
      const workflows = await Worker.create({ connection: nativeConnection, taskQueue, workflowBundle: bundle });
      const id = sourceWorkflowId(source);
      const ended = client.workflow.execute<typeof indexSource>('indexSource', { taskQueue, workflowId: id, args: [source] });
      await Promise.all([worker.runUntil(ended), workflows.runUntil(ended)]);
      return client.workflow.getHandle<typeof indexSource>(id);
    },
    async close() {
      await connection.close();
      await nativeConnection.close();
    },
  };
}

const fakeActivities = () => ({
  processItem: async () => undefined,
  failItem: async () => {},
  finishJob: async () => 'completed',
  jobResult: async () => ({ status: 'completed', total: 1, succeeded: 1, failed: 0, errors: [] }),
});

const itemsOf = (job: JobRef, count: number, after: number, limit: number) =>
  Array.from(
    { length: Math.max(0, Math.min(limit, count - after - 1)) },
    (_, n): ItemRef => ({ ...job, itemId: `item-${after + 1 + n}`, turn: after + 1 + n, phase: 0, name: `SKU-${after + 1 + n}` }),
  );
