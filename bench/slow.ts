import { singleProducts } from './enrichment.ts';
import { runJob } from './jobs.ts';
import type { Line } from './report.ts';
import { each } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

/** Milliseconds that the provider takes for an item. */
const DELAY = 5_000;
const FIXED_WINDOW = 20;

/** A large job with a slow provider, and the small jobs of another organization before and beside it. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const large = await slowJob(bench, 'slow', bench.of(5_000));
  const small = await slowJob(bench, 'kinds', 10);
  const repeat = async (label: string) => {
    const times: number[] = [];
    for (let round = 0; round <= bench.rounds; round += 1) {
      note(`10 items ${label}: ${round === 0 ? 'warming up' : `round ${round} of ${bench.rounds}`}`);
      const ms = await runJob(bench, small);
      if (round > 0) times.push(ms);
    }
    return times;
  };
  const alone = await repeat('alone');
  const running = runJob(bench, large);
  const beside = await repeat('beside the large job');
  note(`${large.count} items`);
  const pairs = { ours: beside, peer: alone };
  const ours = [(await running) / 1_000];
  const fixed = { ours, peer: [(large.count * DELAY) / FIXED_WINDOW / 1_000] };
  return [
    {
      ...{
        name: `${large.count} items of ${DELAY / 1_000} s each`,
        peer: `a fixed window of ${FIXED_WINDOW}, computed`,
        pairs: fixed,
      },
      ...{ unit: 's', values: each(fixed, (job, computed) => computed / job), atLeast: 3.5 },
    },
    {
      ...{ name: '10 such items, beside a large job of another organization', peer: 'the same without the large job', pairs },
      ...{ unit: 'ms', values: each(pairs, (job, single) => single / job), atLeast: 1 / 1.5 },
    },
  ];
}

/** A job of this many items of a slow provider, on the products after `from` of the organization. */
export async function slowJob(bench: Bench, organization: string, count: number, from = 0) {
  const productIds = (await singleProducts(bench, organization, from + count)).slice(from);
  await bench.pool.query('update catalog.products set user_provided_raw_data_sources = array[$2] where id = any($1)', [
    productIds,
    `Color: red. [[delay ${DELAY}]]`,
  ]);
  const body = JSON.stringify({ productIds, modelType: 'budget-v1', websearch: false });
  return { organization, path: 'product-enrichment-jobs', body, count };
}

export const slow: Part = { organizations: ['slow', 'kinds'], measure };
