import { query, sql } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';
import { currentTrace } from '../telemetry/index.ts';

/** The job that a workflow runs. */
export interface JobRef {
  kind: string;
  jobId: string;
  organizationId: string;
}

/** The knowledge source that a workflow indexes. */
export interface SourceRef {
  sourceId: string;
  organizationId: string;
}

/** The test run of an agent that a workflow works on. */
export interface TestRunRef {
  runId: string;
  organizationId: string;
}

/** The variants of a product that got another name, from one on. */
export interface VariantsRef {
  organizationId: string;
  parentId: string;
  /** The last variant that was changed. */
  after: string | null;
}

/** A brand or category whose products get another name, page by page. */
export interface LabelMoveRef {
  organizationId: string;
  moveId: string;
  /** The number of the page, so that a message that is delivered again does nothing. */
  page: number;
}

/** The messages to the worker process, with their payloads: ids, never rows. */
export interface Topics {
  /** Start the workflow of a job. */
  'job.start': JobRef;
  /** Stop the workflow of a job after its running items, until `job.start`. */
  'job.pause': JobRef;
  /** Stop the workflow of a job. */
  'job.stop': JobRef;
  /** Start the workflow that indexes a knowledge source. */
  'source.start': SourceRef;
  /** Cancel the workflow of a knowledge source that was deleted. */
  'source.stop': SourceRef;
  /** Start the workflow of a test run. */
  'test-run.start': TestRunRef;
  /** Cancel the workflow of a test run that was stopped. */
  'test-run.stop': TestRunRef;
  /** Change the time of the next variants of a renamed product, in a short transaction. */
  'variants.touch': VariantsRef;
  /** Give the next products of a renamed brand or category its name, in a short transaction. */
  'label.move': LabelMoveRef;
}
export type Topic = keyof Topics;

/**
 * Post messages in the transaction of the record that they concern. The relay delivers each at least once, if and only if the transaction
 * commits.
 */
export async function post<T extends Topic>({ em }: Scope, topic: T, ...payloads: Topics[T][]): Promise<void> {
  await query(
    em,
    sql`insert into identity.outbox (topic, payload, trace)
        select ${topic}, payload, ${currentTrace()}::text from jsonb_array_elements(${JSON.stringify(payloads)}::jsonb) payload`,
  );
}
