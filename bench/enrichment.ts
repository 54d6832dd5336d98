import { setTimeout as wait } from 'node:timers/promises';
import type { Line } from './report.ts';
import { each, interleave } from './rounds.ts';
import type { Bench } from './system.ts';

const ROUNDS = 5;

/** Enrichment items through the real job, beside a plain loop that asks the same model and writes the same rows. */
export async function measureEnrichment(bench: Bench, note: (text: string) => void): Promise<Line[]> {
  const { id, slug, products } = bench.organizations.jobs!;
  const { rows } = await bench.pool.query<{ id: string }>(
    'select id from catalog.products where organization_id = $1 order by id',
    [id],
  );
  const productIds = rows.map((row) => row.id);
  await bench.pool.query('update catalog.products set is_parent = false, parent_id = null where organization_id = $1', [id]);

  const ours = () => runJob(bench, slug, productIds);
  const peer = () => runLoop(bench, id, productIds);
  const name = `${products.toLocaleString('en')} enrichment items`;
  const pairs = await interleave(ROUNDS, ours, peer, (text) => note(`${name}: ${text}`));
  const perSecond = { ours: pairs.ours.map((ms) => (products * 1000) / ms), peer: pairs.peer.map((ms) => (products * 1000) / ms) };
  const perItem = { ours: pairs.ours.map((ms) => ms / products), peer: pairs.peer.map((ms) => ms / products) };
  const beside = 'plain loop, window 20, same model calls and writes';
  return [
    { name, peer: beside, pairs: perSecond, unit: 'items/s', values: each(perSecond, (job, loop) => job / loop) },
    {
      name: 'engine, wall time of an item (ms)',
      peer: `${beside}: job less loop`,
      pairs: perItem,
      unit: 'ms',
      values: each(perItem, (job, loop) => job - loop),
      below: 10,
    },
  ];
}

/** Milliseconds from the creation of a job to its end, by the database's clock. */
async function runJob({ url, headers, pool }: Bench, organization: string, productIds: string[]): Promise<number> {
  const response = await fetch(`${url}/api/${organization}/product-enrichment-jobs/create`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ productIds, modelType: 'budget-v1', websearch: false }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`The job was not created: ${answer}`);
  const { jobId } = JSON.parse(answer).data;
  for (;;) {
    await wait(250);
    const { rows } = await pool.query(STATE, [jobId]);
    const { status, done, ms } = rows[0];
    if (status === 'completed') return Number(ms);
    if (status !== 'pending' && status !== 'processing') throw new Error(`The job ended as ${status} with ${done} items done`);
  }
}

const STATE = `select status, success_count as done, extract(epoch from completed_at - created_at) * 1000 as ms from catalog.jobs where id = $1`;

async function runLoop({ peers }: Bench, organizationId: string, productIds: string[]): Promise<number> {
  const response = await fetch(`${peers.enrichment}/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ organizationId, productIds }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`The plain loop failed: ${answer}`);
  return JSON.parse(answer).ms;
}
