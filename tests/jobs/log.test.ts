import { randomUUID } from 'node:crypto';
import { detached } from '../../platform/scope/index.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { jobLog } from '../../subgraphs/catalog/jobs/job-progress.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;
const { id: organizationId } = await graph.seed();
const scope = detached({ organizationId, services: graph.services });

/** A stopped job with a running item. */
async function storeStopped(): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, sequence, created_by_id)
     values ($1, $2, 'product-enrichment', 'stopped', 'budget-v1', 1, 1, $2)`,
    [id, organizationId],
  );
  await pool.query(
    `insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, status) values ($1, $2, $1, 0, 0, 'processing')`,
    [id, organizationId],
  );
  return id;
}

/** Complete the item of a job as one change. */
const completeItem = (id: string) =>
  pool.query(
    `with item as (update catalog.job_items set status = 'completed' where job_id = $1)
     update catalog.jobs set sequence = 2, processed_count = 1 where id = $1`,
    [id],
  );

test('a stopped job whose running item completes meanwhile has a change to come', async () => {
  const jobs = await Promise.all(Array.from({ length: 100 }, storeStopped));
  for (const id of jobs) {
    const completed = completeItem(id);
    const answers = await Promise.all(Array.from({ length: 4 }, () => jobLog.hasEnded(scope, id, 1)));
    await completed;
    expect(answers).toEqual([false, false, false, false]);
  }
});

test('a job has ended when its last change was seen and no item is running', async () => {
  const id = await storeStopped();
  await completeItem(id);
  expect(await jobLog.hasEnded(scope, id, 2)).toBe(true);
  expect(await jobLog.hasEnded(scope, randomUUID(), 0)).toBe(true);
  await pool.query(`update catalog.jobs set status = 'processing' where id = $1`, [id]);
  expect(await jobLog.hasEnded(scope, id, 2)).toBe(false);
});
