import { expectWhole, type Update } from '../support/follow.ts';
import { database } from '../support/seed.ts';
import type { Catalog, Sample } from './kinds.ts';

/** Generous timeout of a job after a crash. */
export const PATIENCE = 150_000;

/** A job of this many items, and the updates of its subscriber. */
export interface Followed {
  jobId: string;
  count: number;
  followed: Promise<{ updates: Update[] }>;
}

/** Every item was finished, counted, charged, recorded and reported exactly once. */
export async function expectInvariants(
  sample: Sample,
  catalog: Catalog,
  databaseUrl: string,
  { jobId, count, followed }: Followed,
) {
  const counts = { totalCount: count, processedCount: count, successCount: count, failedCount: 0 };
  expect(await catalog.end(jobId, PATIENCE)).toMatchObject({ status: 'completed', ...counts });
  const { history: _, ...trace } = await catalog.trace(jobId);
  expect(trace).toEqual({ items: count, ended: count, charges: count, refunds: 0, shown: count, shownOnce: count });
  const { rows } = await database(databaseUrl).query(sample.written, [jobId]);
  expect(rows).toEqual([{ rows: count * sample.each, different: count * sample.each }]);
  expect(await catalog.balance()).toBe(catalog.credits - count * sample.price);
  const { updates } = await followed;
  expectWhole(updates, count);
  expect(updates.at(-1)?.status).toBe('completed');
}

/** Number of finished items in the database when the fault occurred. */
export async function processedOf(jobId: string, databaseUrl: string): Promise<number> {
  const { rows } = await database(databaseUrl).query('select processed_count from catalog.jobs where id = $1', [jobId]);
  return rows[0].processed_count;
}

/** Number of items that a worker is processing. */
export async function runningItems(jobId: string, databaseUrl: string): Promise<number> {
  const statement = `select count(*)::int from catalog.job_items where job_id = $1 and status = 'processing'`;
  return (await database(databaseUrl).query(statement, [jobId])).rows[0].count;
}
