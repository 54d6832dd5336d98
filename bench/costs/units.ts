import { setTimeout as wait } from 'node:timers/promises';
import { singleProducts } from '../enrichment.ts';
import { runJob } from '../jobs.ts';
import type { Bench } from '../system.ts';

/** One kind of work whose cost is measured. */
export interface Unit {
  name: string;
  /** Does the work, and returns how many units it did. */
  run(bench: Bench): Promise<number>;
}

const ORGANIZATION = 'jobs';

/** The work of which all load consists. */
export const units: Unit[] = [
  {
    name: 'product',
    async run(bench) {
      const count = bench.of(2_000);
      for (let from = 0; from < count; from += 1_000) {
        const products = Array.from({ length: Math.min(1_000, count - from) }, (_, at) => ({
          sku: `COST-${from + at}`,
          name: `Norrvik desk lamp ${from + at}`,
          uom: 'piece',
          brand: 'Norrvik',
          category: 'Home > Desk lamp',
        }));
        await call(bench, `/api/${ORGANIZATION}/products/bulk-create`, { products });
      }
      return count;
    },
  },
  {
    name: 'item',
    async run(bench) {
      const productIds = await singleProducts(bench, ORGANIZATION, bench.of(2_000));
      const body = JSON.stringify({ productIds, modelType: 'budget-v1', websearch: false });
      await runJob(bench, { organization: ORGANIZATION, path: 'product-enrichment-jobs', body, count: productIds.length });
      return productIds.length;
    },
  },
  {
    name: 'read',
    async run(bench) {
      const count = bench.of(3_000);
      await inLanes(8, count, () => call(bench, `/api/${ORGANIZATION}/products/get`, { limit: 10 }));
      return count;
    },
  },
  {
    name: 'reply',
    async run(bench) {
      const count = bench.of(200);
      const created = await call(bench, `/api/${ORGANIZATION}/agents`, { name: 'Costs' });
      const { id } = (created as { data: { agent: { id: string } } }).data.agent;
      const body = { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] };
      await inLanes(8, count, () => call(bench, `/api/${ORGANIZATION}/agents/${id}/chat`, body));
      return count;
    },
  },
  {
    name: 'delivery',
    async run(bench) {
      const { pool, organizations } = bench;
      const { id } = organizations[ORGANIZATION]!;
      const count = bench.of(1_000);
      await pool.query(
        `insert into webhooks.subscriptions (id, organization_id, surface, url, events)
         values (gen_random_uuid(), $1, 'catalog', $2, '{product.created}')`,
        [id, bench.hook],
      );
      const lane = async (at: number) =>
        call(bench, `/api/${ORGANIZATION}/products/create`, { sku: `HOOK-${at}`, name: `Lamp ${at}`, uom: 'piece' });
      await inLanes(8, count, lane);
      const open =
        'select count(*)::int as open from webhooks.deliveries where organization_id = $1 and next_attempt_at is not null';
      while ((await pool.query(open, [id])).rows[0].open > 0) await wait(200);
      return count;
    },
  },
];

async function call({ url, headers }: Bench, path: string, body: object): Promise<unknown> {
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 200)}`);
  return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}

async function inLanes(width: number, count: number, each: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await each(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
