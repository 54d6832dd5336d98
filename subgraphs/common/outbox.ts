import { query, sql } from './database.ts';
import type { Scope } from './scope.ts';
import { currentTrace } from './tracing.ts';

/** The messages to the worker process, with their payloads. */
export interface Topics {
  /** Start the workflow of a job. */
  'job.start': { kind: string; jobId: string; organizationId: string };
  /** Stop the workflow of a job after its running items, until `job.start`. */
  'job.pause': { kind: string; jobId: string; organizationId: string };
  /** Stop the workflow of a job. */
  'job.stop': { kind: string; jobId: string; organizationId: string };
  /** Start the workflow that indexes a knowledge source. */
  'source.start': { sourceId: string; organizationId: string };
  /** Cancel the workflow of a knowledge source that was deleted. Processes of earlier versions do not name the organization. */
  'source.stop': { sourceId: string; organizationId?: string };
}
export type Topic = keyof Topics;

/**
 * Post a message in the transaction of the record that it concerns. The relay delivers it at least once, if and only if the transaction
 * commits.
 */
export async function post<T extends Topic>({ em }: Scope, topic: T, payload: Topics[T]): Promise<void> {
  await query(
    em,
    sql`insert into identity.outbox (topic, payload, trace) values (${topic}, ${JSON.stringify(payload)}, ${currentTrace()})`,
  );
}
