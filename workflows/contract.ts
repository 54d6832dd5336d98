/** What a subgraph may know of the workflows: names, ids and inputs. Payloads are ids, never rows. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineQuery, defineSignal } from '@temporalio/workflow';

/** What operators filter by in the Temporal UI. */
export const searchAttributes = {
  organization: defineSearchAttributeKey('Organization', SearchAttributeType.KEYWORD),
  kind: defineSearchAttributeKey('Kind', SearchAttributeType.KEYWORD),
  status: defineSearchAttributeKey('Status', SearchAttributeType.KEYWORD),
};

/** The job a workflow drives. */
export interface JobRef {
  kind: string;
  jobId: string;
  organizationId: string;
}

/** Input of `runJob`; what was counted so far is carried when the history is begun anew. */
export interface JobRun extends JobRef {
  /** Items up to this turn have been handed out. */
  after?: number;
  finished?: number;
}

export interface JobProgress {
  /** Items this workflow has seen to their end. */
  finished: number;
  inHand: number;
  stopping: boolean;
}

/** Readable in the Temporal UI: `product-enrichment/<job id>`. */
export const workflowId = ({ kind, jobId }: Pick<JobRef, 'kind' | 'jobId'>) => `${kind}/${jobId}`;

/** Items in hand are finished, the rest are left alone. Sent by workflow id, so it reaches the latest run. */
export const stopSignal = defineSignal('stop');

export const progressQuery = defineQuery<JobProgress>('progress');
