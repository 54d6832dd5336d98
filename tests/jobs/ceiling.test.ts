import { randomUUID } from 'node:crypto';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { processItem } from '../../subgraphs/catalog/jobs/engine.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import '../../subgraphs/catalog/job-kinds.ts';
import { detached } from '../../platform/scope/index.ts';
import { openSubgraph } from '../support/subgraph.ts';
import { until } from '../support/until.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const BLOCKED = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** A job that has spent its credits, with one item, and the function that runs the item. */
async function spentJob() {
  const { id: organizationId } = await graph.seed();
  const [jobId, itemId] = [randomUUID(), randomUUID()];
  await pool.query(
    `insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, max_credits, spent)
     values ($1, $2, 'product-enrichment', 'processing', 'budget-v1', 1, $1, 5, 5)`,
    [jobId, organizationId],
  );
  await pool.query(
    `insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, status) values ($1, $2, $3, 0, 0, 'pending')`,
    [itemId, organizationId, jobId],
  );
  const scope = detached({ organizationId, services: graph.services });
  return {
    jobId,
    run: () => processItem(scope as Parameters<typeof processItem>[0], itemId),
    state: async () => (await pool.query('select paused, pause_reason as reason from catalog.jobs where id = $1', [jobId])).rows[0],
  };
}

test('a job pauses when its next item would exceed its credits', async () => {
  const { run, state } = await spentJob();
  await run();
  expect(await state()).toEqual({ paused: true, reason: 'credits' });
});

test('a job whose limit is lifted while an item is refused does not pause', async () => {
  const { jobId, run, state } = await spentJob();
  const user = await pool.connect();
  await user.query('begin');
  await user.query('update catalog.jobs set max_credits = null where id = $1', [jobId]);
  const running = run();
  await until(async () => (await pool.query(BLOCKED)).rows.length > 0);
  await user.query('commit');
  user.release();
  await running;
  expect(await state()).toEqual({ paused: false, reason: null });
});
