import { setTimeout as wait } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { workflowId } from '../../workflows/contract.ts';
import { singleProducts } from '../enrichment.ts';
import { runJob } from '../jobs.ts';
import type { Bench } from '../system.ts';
import type { UnitCost } from './unit-costs.ts';

/** One kind of work whose cost is measured. */
export interface Unit {
  name: string;
  /** Does the work, and returns how many units it did. */
  run(bench: Bench): Promise<number>;
  /** Size of the workflow history per unit. */
  historyOf?(bench: Bench, count: number): Promise<Pick<UnitCost, 'historyEvents' | 'historyBytes'>>;
}

const ORGANIZATION = 'jobs';
/** A longer job continues in a new run. */
const ITEMS_PER_RUN = 1_000;

const EVENT = 'product_enrichment.completed';
const SUBSCRIBE = `
  insert into webhooks.subscriptions (id, organization_id, surface, url, events)
  values (gen_random_uuid(), $1, 'integration', $2, '{${EVENT}}') returning id`;
/** As the product emits an event, without the record that it is about. The deliverers poll for it. */
const DELIVER = `
  with emitted as (
    insert into webhooks.events (id, organization_id, event, occurred_at, payload)
    values (uuidv7(), $1, '${EVENT}', now(), '{"status":"completed"}') returning id)
  insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, next_attempt_at)
  select uuidv7(), $1, $2, '${EVENT}', id, now() from emitted`;

/** Counts the bytes of all responses. */
export const responses = { bytes: 0 };

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
    historyOf: historyOfItems,
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
      const { pool, organizations, hook } = bench;
      const { id } = organizations[ORGANIZATION]!;
      const count = bench.of(1_000);
      const { rows } = await pool.query(SUBSCRIBE, [id, hook]);
      await inLanes(2, count, () => pool.query(DELIVER, [id, rows[0].id]));
      const open =
        'select count(*)::int as open from webhooks.deliveries where organization_id = $1 and next_attempt_at is not null';
      while ((await pool.query(open, [id])).rows[0].open > 0) await wait(200);
      return count;
    },
  },
];

/** The history of the last run of the newest job, which holds at most 1,000 items. */
async function historyOfItems({ pool, temporalAddress }: Bench, count: number) {
  const { rows } = await pool.query<{ id: string; kind: string }>(
    'select id, kind from catalog.jobs order by created_at desc limit 1',
  );
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    const { kind, id: jobId } = rows[0]!;
    const handle = new Client({ connection }).workflow.getHandle(workflowId({ kind, jobId }));
    const { historyLength, historySize = 0 } = await handle.describe();
    const items = count % ITEMS_PER_RUN || ITEMS_PER_RUN;
    return { historyEvents: Math.round((historyLength / items) * 10) / 10, historyBytes: Math.round(historySize / items) };
  } finally {
    await connection.close();
  }
}

async function call({ url, headers }: Bench, path: string, body: object): Promise<unknown> {
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  responses.bytes += Buffer.byteLength(text);
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
