import { query, sql } from './database.ts';
import type { Scope } from './scope.ts';

/** What may be asked of the worker process, and what with. */
export interface Topics {
  /** Start the workflow of a job. */
  'job.start': { kind: string; jobId: string; organizationId: string };
  /** Tell the workflow of a job to stop. */
  'job.stop': { kind: string; jobId: string; organizationId: string };
}
export type Topic = keyof Topics;

/**
 * Ask for something outside the database in the transaction of the record it is about: it is asked if and only if the record
 * is there, and asked again until it is done.
 */
export async function post<T extends Topic>({ em }: Scope, topic: T, payload: Topics[T]): Promise<void> {
  await query(em, sql`insert into identity.outbox (topic, payload) values (${topic}, ${JSON.stringify(payload)})`);
}
