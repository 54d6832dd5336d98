import { type Compared, compareJob } from './jobs.ts';
import type { Line } from './report.ts';
import { each } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

/** Enrichment items through the job engine, compared with a plain loop with the same model calls and writes. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const { line, perItem } = await compareJob(bench, await enrichmentJob(bench), note);
  return [
    line,
    {
      name: 'engine, wall time of an item (ms)',
      peer: `${line.peer}: job less loop`,
      pairs: perItem,
      unit: 'ms',
      values: each(perItem, (job, loop) => job - loop),
      below: 6,
    },
  ];
}

export const enrichment: Part = { organizations: ['jobs'], measure };

/** The same items through durable queues. */
async function measureQueues(bench: Bench, note: Note): Promise<Line[]> {
  const job = await enrichmentJob(bench);
  const names = (await (await fetch(`${(await bench.peer('queues')).url}/queues`)).json()) as string[];
  if (!names.includes('BullMQ')) process.stderr.write('BullMQ is not measured, because redis-server is not installed\n');
  const lines: Line[] = [];
  for (const name of names) {
    const rival = { script: 'queues', path: `/queues/${name}/run`, name };
    lines.push((await compareJob(bench, job, note, rival)).line);
  }
  return lines;
}

export const queues: Part = { organizations: ['jobs'], measure: measureQueues };

async function enrichmentJob(bench: Bench): Promise<Compared> {
  const productIds = await singleProducts(bench, 'jobs', bench.of(2_000));
  const body = JSON.stringify({ productIds, modelType: 'budget-v1', websearch: false });
  return {
    ...{ count: productIds.length, items: 'enrichment items', organization: 'jobs', path: 'product-enrichment-jobs', body },
    ...{ kind: 'enrichment', window: 20, given: productIds },
  };
}

/** Products without parents and variants, because parents need no model call. */
export async function singleProducts({ pool, organizations }: Bench, organization: string, count: number): Promise<string[]> {
  const { id } = organizations[organization]!;
  await pool.query('update catalog.products set is_parent = false, parent_id = null where organization_id = $1', [id]);
  const { rows } = await pool.query<{ id: string }>(
    'select id from catalog.products where organization_id = $1 order by id limit $2',
    [id, count],
  );
  return rows.map((row) => row.id);
}
