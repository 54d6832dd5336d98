import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { JobRef } from '../../platform/queues/outbox.ts';
import { sourceTaskQueue, sourceWorkflowId, workflowId } from '../../workflows/contract.ts';
import type { ItemRef, ItemResult, JobActivities } from '../../workflows/job/activities.ts';
import type { runJob } from '../../workflows/job/workflow.ts';
import type { SourceActivities } from '../../workflows/source/activities.ts';
import type { indexSource } from '../../workflows/source/workflow.ts';
import type { sweep } from '../../workflows/sweeps/workflow.ts';
import type { TestRunActivities } from '../../workflows/test-run/activities.ts';
import type { runTests } from '../../workflows/test-run/workflow.ts';
import { workflowBundle } from '../../workflows/workflow-bundle.ts';

export type Bench = Awaited<ReturnType<typeof openBench>>;
export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
export type Handle = WorkflowHandle<typeof runJob>;

/** Activities of a job. Items without a result do not change the concurrency. */
type FakeJob = Partial<Omit<JobActivities, 'processItem'> & { processItem(item: ItemRef): Promise<ItemResult> | Promise<void> }>;
/** Fake activities by workflow ID. */
type Fakes = Map<string, FakeJob | Partial<SourceActivities> | TestRunActivities>;

/** A real Temporal server and workflow with fake activities. All workflows share two workers, because each starts a thread. */
export async function openBench(address = process.env.TEST_TEMPORAL_ADDRESS!) {
  Runtime.install({
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });
  const bundle = await workflowBundle();
  const connection = await Connection.connect({ address });
  const nativeConnection = await NativeConnection.connect({ address });
  const client = new Client({ connection });

  const taskQueue = `bench-${randomUUID()}`;
  const jobs: Fakes = new Map();
  const sources: Fakes = new Map();
  const common = { connection: nativeConnection };
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue, workflowBundle: bundle, activities: { default: callFake(jobs) } }),
    Worker.create({ ...common, taskQueue: sourceTaskQueue(taskQueue), activities: { default: callFake(sources) } }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));

  return {
    workflowBundle: bundle,
    /** Run a job of this many items until it finishes; `fake` receives the workflow handle. */
    async run(count: number, fake: (job: () => Handle) => FakeJob, concurrency = 1): Promise<Handle> {
      const job = { kind: 'product-enrichment', jobId: randomUUID(), organizationId: randomUUID() };
      const id = workflowId(job);
      const handle = () => client.workflow.getHandle<typeof runJob>(id);
      jobs.set(id, {
        ...fakeActivities(),
        beginJob: async () => ({ concurrency, open: true }),
        openItems: async (_, after, limit) => itemsOf(job, count, after, limit),
        jobResult: async () => ({ status: 'completed', total: count, succeeded: count, failed: 0, errors: [] }),
        ...fake(handle),
      });
      await client.workflow.execute<typeof runJob>('runJob', { taskQueue, workflowId: id, args: [job] });
      return handle();
    },
    /** Index a source until its workflow ends. */
    async index(fake: Partial<SourceActivities>): Promise<WorkflowHandle<typeof indexSource>> {
      const source = { sourceId: randomUUID(), organizationId: randomUUID() };
      const done = async () => ({ step: 'done' as const });
      const steps = { discoverPages: done, crawlPage: done, chunkSource: done, embedChunks: done, publishChunks: done };
      const id = sourceWorkflowId(source);
      sources.set(id, { beginSource: done, ...steps, failSource: async () => {}, ...fake });
      await client.workflow.execute<typeof indexSource>('indexSource', { taskQueue, workflowId: id, args: [source] });
      return client.workflow.getHandle<typeof indexSource>(id);
    },
    /** Run tests until their workflow ends. */
    async tests(fake: TestRunActivities): Promise<WorkflowHandle<typeof runTests>> {
      const run = { runId: randomUUID(), organizationId: randomUUID() };
      const id = `tests/${run.runId}`;
      jobs.set(id, fake);
      await client.workflow.execute<typeof runTests>('runTests', { taskQueue, workflowId: id, args: [run] });
      return client.workflow.getHandle<typeof runTests>(id);
    },
    /** Run a sweep, whose activity does nothing. */
    async sweep(name: string): Promise<WorkflowHandle<typeof sweep>> {
      const id = `${name}/${randomUUID()}`;
      await client.workflow.execute<typeof sweep>('sweep', { taskQueue, workflowId: id, args: [name, '1 minute'] });
      return client.workflow.getHandle<typeof sweep>(id);
    },
    /** The histories of all runs of a workflow, the first one first. */
    async histories(id: string): Promise<History[]> {
      const histories: History[] = [];
      for (let runId: string | undefined; ; ) {
        const history = await client.workflow.getHandle(id, runId).fetchHistory();
        histories.unshift(history);
        runId = history.events![0]!.workflowExecutionStartedEventAttributes!.continuedExecutionRunId || undefined;
        if (!runId) return histories;
      }
    },
    async close() {
      for (const worker of workers) worker.shutdown();
      await running;
      await connection.close();
      await nativeConnection.close();
    },
  };
}

/** An activity that calls the fake of its workflow. */
function callFake(fakes: Fakes) {
  return async (...args: unknown[]): Promise<unknown> => {
    const { activityType, workflowExecution, workflowType } = activityInfo();
    if (workflowType === 'sweep') return undefined;
    const fake = new Map(Object.entries(fakes.get(workflowExecution!.workflowId) ?? {})).get(activityType);
    if (!fake) throw new Error(`${activityType} is not an activity of this task queue`);
    const result = await (fake as (...args: unknown[]) => unknown)(...args);
    return activityType === 'processItem' ? (result ?? { mayGrow: false }) : result;
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
