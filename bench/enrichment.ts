import { compareJob } from './jobs.ts';
import type { Line } from './report.ts';
import { each } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

/** Enrichment items through the job engine, compared with a plain loop with the same model calls and writes. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const productIds = await singleProducts(bench, 'jobs', bench.of(2_000));
  const body = JSON.stringify({ productIds, modelType: 'budget-v1', websearch: false });
  const { line, perItem } = await compareJob(
    bench,
    {
      ...{ count: productIds.length, items: 'enrichment items', organization: 'jobs', path: 'product-enrichment-jobs', body },
      ...{ kind: 'enrichment', window: 20, given: productIds },
    },
    note,
  );
  return [
    line,
    {
      name: 'engine, wall time of an item (ms)',
      peer: `${line.peer}: job less loop`,
      pairs: perItem,
      unit: 'ms',
      values: each(perItem, (job, loop) => job - loop),
      below: 10,
    },
  ];
}

export const enrichment: Part = { organizations: ['jobs'], measure };

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
