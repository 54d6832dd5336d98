import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';
import type { Pool } from 'pg';
import {
  type Backoff,
  delayAfter,
  increment,
  type JobRef,
  type LabelMoveRef,
  type Notifications,
  QueueWorker,
  type SourceRef,
  type TestRunRef,
  type Topic,
  type Topics,
  type VariantsRef,
} from '../platform/queues/index.ts';
import { continueTrace, log } from '../platform/telemetry/index.ts';
import {
  pauseSignal,
  resumeSignal,
  searchAttributes,
  sourceWorkflowId,
  stopSignal,
  testRunWorkflowId,
  workflowId,
} from './contract.ts';

type Handlers = { [T in Topic]: (payload: Topics[T], attempts: number) => Promise<void> };

/** Milliseconds within which Temporal must accept a message; shorter than the lease of an outbox row. */
const TIMEOUT = 10_000;
/** Retries while the workflow of a source is running already, over half a minute. Temporal notices a killed worker after 15 seconds. */
const START_RETRIES = 5;

interface HandlerOptions {
  taskQueue: string;
  /** Starts the queued sources of an organization whose turn it is. */
  startNextSources(organizationId: string): Promise<void>;
  touchVariants(variants: VariantsRef): Promise<void>;
  continueMove(move: LabelMoveRef, attempts: number): Promise<void>;
}

/** Sends topics to Temporal, or does their short work. A handler may run again after a crash. */
export const handlers = (
  client: Client,
  { taskQueue, startNextSources, touchVariants, continueMove }: HandlerOptions,
): Handlers => {
  // A workflow that is about to close does not see a source that was queued meanwhile, so try again before trusting the running one.
  const isSettled = (error: unknown, attempts: number) =>
    error instanceof WorkflowExecutionAlreadyStartedError && attempts > START_RETRIES;
  const withTimeout = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + TIMEOUT, call);
  const signal = (job: JobRef, definition: SignalDefinition) =>
    withTimeout(() => client.workflow.getHandle(workflowId(job)).signal(definition)).catch(unless(WorkflowNotFoundError));
  /** Starts a workflow that finds its work in the database. */
  const start = async (
    workflow: 'indexSource' | 'runTests',
    id: string,
    record: SourceRef | TestRunRef,
    { kind, summary = kind }: { kind: string; summary?: string },
    attempts: number,
  ): Promise<void> => {
    const options = {
      taskQueue,
      workflowId: id,
      args: [record],
      staticSummary: `${summary} of organization ${record.organizationId}`,
      typedSearchAttributes: [
        { key: searchAttributes.organization, value: record.organizationId },
        { key: searchAttributes.kind, value: kind },
      ],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    };
    await withTimeout(() => client.workflow.start(workflow, options)).catch((error: unknown) => {
      if (!isSettled(error, attempts)) throw error;
    });
  };
  const cancel = (id: string) =>
    withTimeout(() => client.workflow.getHandle(id).cancel()).then(() => undefined, unless(WorkflowNotFoundError));
  return {
    async 'job.start'(job) {
      const { organizationId, kind } = job;
      const options = {
        taskQueue,
        workflowId: workflowId(job),
        args: [job],
        staticSummary: `${kind} for organization ${organizationId}`,
        typedSearchAttributes: [
          { key: searchAttributes.organization, value: organizationId },
          { key: searchAttributes.kind, value: kind },
          { key: searchAttributes.status, value: 'pending' },
        ],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      };
      await withTimeout(() => client.workflow.start('runJob', options)).catch((error: unknown) => {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        // Fails if the workflow has closed meanwhile, so that the next attempt starts a new one.
        return withTimeout(() => client.workflow.getHandle(workflowId(job)).signal(resumeSignal));
      });
    },

    'job.pause': (job) => signal(job, pauseSignal),

    'job.stop': (job) => signal(job, stopSignal),

    async 'source.start'(source, attempts) {
      await start('indexSource', sourceWorkflowId(source), source, { kind: 'source', summary: 'knowledge source' }, attempts);
    },

    async 'source.stop'(source) {
      await cancel(sourceWorkflowId(source));
      await startNextSources(source.organizationId);
    },

    'test-run.start': (run, attempts) => start('runTests', testRunWorkflowId(run), run, { kind: 'test-run' }, attempts),

    'test-run.stop': (run) => cancel(testRunWorkflowId(run)),

    'variants.touch': touchVariants,

    'label.move': continueMove,
  };
};

const unless = (expected: abstract new (...args: never[]) => Error) => (error: unknown) => {
  if (!(error instanceof expected)) throw error;
};

const WIDTH = 20;
const INTERVAL = 2_000;
/** Milliseconds that messages in progress get when the process shuts down. */
const GRACE = 2_000;
const BACKOFF: Backoff = { shortest: 1_000, longest: 60_000 };

const CLAIM = `
  update identity.outbox set attempts = ${increment('attempts')}, due_at = now() + interval '15 seconds'
   where id in (select id from identity.outbox where due_at <= now() order by due_at limit $1 for update skip locked)
  returning id, topic, payload, attempts, trace`;

const POSTPONE = `update identity.outbox set due_at = now() + make_interval(secs => $3::float) where id = $1 and attempts = $2`;

interface Row {
  id: string;
  topic: Topic;
  payload: never;
  attempts: number;
  /** The trace of the request as a `traceparent`. */
  trace: string | null;
}

/**
 * Sends outbox rows to their handlers as soon as a transaction commits them, and retries failures with back-off. The relay leases a row
 * while its handler runs and then deletes it, so another process takes over after a crash.
 */
export function relayOutbox(pool: Pool, notifications: Notifications, handle: Handlers): { close(): Promise<void> } {
  const queue = new QueueWorker<Row>({
    name: 'outbox',
    width: WIDTH,
    interval: INTERVAL,
    channel: 'outbox',
    notifications,
    claim: async (free) => (await pool.query<Row>(CLAIM, [free])).rows,
    async work({ id, topic, payload, attempts, trace }) {
      try {
        await continueTrace({ traceparent: trace ?? undefined }, () => handle[topic](payload, attempts));
      } catch (error) {
        const delay = delayAfter(attempts, BACKOFF);
        log.warn({ err: error, topic, id, attempts, delay }, 'Failed to send an outbox row; retrying later');
        await pool.query(POSTPONE, [id, attempts, delay / 1_000]);
        return;
      }
      await pool.query('delete from identity.outbox where id = $1', [id]);
    },
  });
  return { close: () => queue.close(GRACE) };
}
