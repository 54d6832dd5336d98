/** Names, ids and inputs of the workflows, for the workflow code and its callers. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { JobRef, SourceRef, TestRunRef } from '../platform/queues/index.ts';

/** Search attributes by which operators filter in the Temporal UI. */
export const searchAttributes = {
  organization: defineSearchAttributeKey('Organization', SearchAttributeType.KEYWORD),
  kind: defineSearchAttributeKey('Kind', SearchAttributeType.KEYWORD),
  /** Temporal itself uses the name `Status`. */
  status: defineSearchAttributeKey('JobStatus', SearchAttributeType.KEYWORD),
};

/** Readable in the Temporal UI: `source/<source id>`. */
export const sourceWorkflowId = ({ sourceId }: Pick<SourceRef, 'sourceId'>) => `source/${sourceId}`;

/** Readable in the Temporal UI: `test-run/<run id>`. */
export const testRunWorkflowId = ({ runId }: Pick<TestRunRef, 'runId'>) => `test-run/${runId}`;

/**
 * The task queue of the steps of knowledge sources: they wait for the sites of users, so they must not occupy the slots of jobs. The
 * workflows themselves stay on the queue of the jobs.
 */
export const sourceTaskQueue = (taskQueue: string) => `${taskQueue}-sources`;

/** Input of `runJob`. Continue-as-new carries the progress over. */
export interface JobRun extends JobRef {
  /** Turn of the last item before those that may be open. */
  after?: number;
  finished?: number;
  /** Size of the concurrency window of the previous run. */
  window?: number;
}

export interface JobProgress {
  /** Items that this workflow has finished. */
  finished: number;
  inProgress: number;
  stopping: boolean;
}

/** Readable in the Temporal UI: `product-enrichment/<job id>`. */
export const workflowId = ({ kind, jobId }: Pick<JobRef, 'kind' | 'jobId'>) => `${kind}/${jobId}`;

/** The message of a workflow that fails because all its items failed. The worker recognizes it, because threads do not exchange the types of errors. */
export const allFailedMessage = (items: number, reason: string | undefined): string => `All ${items} items failed: ${reason}`;
export const isAllFailed = (message: string): boolean => /^All \d+ items failed: /.test(message);

/** Stops a job after its items in progress. Sent by workflow id, so that it reaches the latest run. */
export const stopSignal = defineSignal('stop');

/** Continues a paused workflow that still has items in progress. */
export const resumeSignal = defineSignal('resume');

/** Ends the workflow after the items in progress. The job continues in a new run. Sent by workflow id, so that it reaches the latest run. */
export const pauseSignal = defineSignal('pause');

export const progressQuery = defineQuery<JobProgress>('progress');
