import {
  ActivityFailure,
  ApplicationFailure,
  continueAsNew,
  isCancellation,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { SourceRef } from '../../platform/queues/index.ts';
import { sourceTaskQueue } from '../contract.ts';
import type { SourceActivities } from './activities.ts';

// Every step sends heartbeats, so Temporal retries the step of a killed worker within seconds.
const limits = { startToCloseTimeout: '15 minutes', heartbeatTimeout: '15 seconds' } as const;

/** The activities, on a queue of their own. */
function activitiesOf(taskQueue: string) {
  const options = { ...limits, taskQueue };
  const { beginSource, chunkSource, publishChunks, failSource } = proxyActivities<SourceActivities>({
    ...options,
    // The database may be down for hours. The activities end other faults themselves.
    retry: { maximumInterval: '30 seconds' },
  });
  const { discoverPages, crawlPage } = proxyActivities<SourceActivities>({
    ...options,
    retry: { initialInterval: '2 seconds', maximumInterval: '1 minute', maximumAttempts: 5 },
  });
  const { embedChunks } = proxyActivities<SourceActivities>({
    ...options,
    retry: { initialInterval: '2 seconds', maximumInterval: '5 minutes', maximumAttempts: 10 },
  });
  return { beginSource, failSource, steps: { discoverPages, crawlPage, chunkSource, embedChunks, publishChunks } };
}

/** Steps per run. Temporal warns at 10,240 events in a history; a step with its timer takes eleven. */
const RUN = 500;

/**
 * Index a knowledge source: each step is one activity, and names the next. PostgreSQL holds the state, so a restarted workflow continues
 * where the last one stopped. Ends when the source is ready, has failed, was deleted, or must wait for its turn; then the end of another
 * source starts it again.
 */
export async function indexSource(source: SourceRef): Promise<void> {
  const { beginSource, failSource, steps } = activitiesOf(sourceTaskQueue(workflowInfo().taskQueue));
  let hasBegun = false;
  try {
    let next = await beginSource(source);
    hasBegun = true;
    for (let count = 0; count < RUN; count += 1) {
      if (next.waitMs) await sleep(next.waitMs);
      if (next.step === 'done') return;
      next = await steps[next.step](source);
    }
  } catch (error) {
    if (isCancellation(error)) return;
    return failSource(source, reasonOf(error), hasBegun);
  }
  await continueAsNew<typeof indexSource>(source);
}

/** The message of a source whose retries are exhausted: the cause, without the wrapper errors of Temporal. */
function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure)) return 'The source could not be indexed. Please try again.';
  if (cause.type === 'IngestionFailure') return cause.message;
  if (cause.type === 'ProviderFault') return `The model provider could not answer: ${cause.message}`;
  return 'The source could not be indexed. Please try again.';
}
