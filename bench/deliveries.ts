import { setTimeout as wait } from 'node:timers/promises';
import { bodyOf } from './load.ts';
import type { Line } from './report.ts';
import { each, interleave } from './rounds.ts';
import type { Bench, Note, Part } from './system.ts';

const organization = 'hooks';
const event = 'product_enrichment.completed';
const DELIVERIES = 3_000;
/** The product's concurrency per webhook, and its connections per receiver. */
const [PER_WEBHOOK, CONNECTIONS] = [8, 16];

/** Deliveries that are claimed, signed, sent and logged, compared with a loop that sends the same bodies. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const count = bench.of(DELIVERIES);
  const lines: Line[] = [];
  const ids: string[] = [];
  for (const [webhooks, window] of [
    [1, PER_WEBHOOK],
    [10, CONNECTIONS],
  ] as const) {
    while (ids.length < webhooks) ids.push(await createWebhook(bench));
    const name = `${count.toLocaleString('en')} deliveries of ${webhooks} webhook${webhooks > 1 ? 's' : ''}`;
    const pairs = await interleave(
      bench.rounds,
      () => deliver(bench, ids, count),
      () => sendAll(bench, count, window),
      (text) => note(`${name}: ${text}`),
    );
    const peer = `plain loop of undici requests, window ${window}, nothing signed or written down`;
    lines.push({ name, peer, pairs, unit: '/s', values: each(pairs, (ours, loop) => ours / loop) });
  }
  return [...lines, await measureHanging(bench, count, note)];
}

/** Deliveries of 100 subscriptions while another one hangs, compared with the same without it. */
async function measureHanging(bench: Bench, count: number, note: Note): Promise<Line> {
  const ids = await Promise.all(Array.from({ length: 100 }, () => insertSubscription(bench, bench.hook)));
  const hanging = await insertSubscription(bench, `${bench.hook}/hang`);
  const { pool, organizations } = bench;
  const { id } = organizations[organization]!;
  const name = `${count.toLocaleString('en')} deliveries of 100 subscriptions, beside a hanging one`;
  const withHanging = async () => {
    // Eight hang at a time, and the others wait.
    await pool.query(POST, [id, [hanging], 200, payload]);
    await pool.query('notify webhook_deliveries');
    const rate = await deliver(bench, ids, count);
    await pool.query('delete from webhooks.deliveries where subscription_id = $1', [hanging]);
    return rate;
  };
  const pairs = await interleave(
    bench.rounds,
    withHanging,
    () => deliver(bench, ids, count),
    (text) => note(`${name}: ${text}`),
  );
  const values = each(pairs, (ours, free) => ours / free);
  return { name, peer: 'the same without the hanging one', pairs, unit: '/s', values, atLeast: 0.8 };
}

async function insertSubscription({ pool, organizations }: Bench, url: string): Promise<string> {
  const text = `insert into webhooks.subscriptions (id, organization_id, surface, url, events)
    values (uuidv7(), $1, 'integration', $2, array['${event}']) returning id`;
  return (await pool.query(text, [organizations[organization]!.id, url])).rows[0].id;
}

export const deliveries: Part = { organizations: [organization], measure };

async function createWebhook({ url, headers, hook }: Bench): Promise<string> {
  const body = JSON.stringify({ action: 'create', url: hook, eventType: [event] });
  const answer = await bodyOf({ url: `${url}/api/${organization}/webhooks`, headers, body });
  return JSON.parse(answer).data.webhook.id;
}

const POST = `
  with emitted as (
    insert into webhooks.events (id, organization_id, event, occurred_at, payload)
    select uuidv7(), $1, '${event}', now(), $4 from generate_series(1, $3::int) returning id),
  numbered as (select *, row_number() over () as n from emitted)
  insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, next_attempt_at)
  select uuidv7(), $1, given.id, '${event}', numbered.id, now()
    from numbered join unnest($2::uuid[]) with ordinality as given (id, place) on place = n % cardinality($2::uuid[]) + 1`;

const OPEN =
  'select count(*)::int as open from webhooks.deliveries where organization_id = $1 and next_attempt_at is not null and subscription_id = any($2)';
const DONE = `
  select count(*)::int as done, extract(epoch from max(a.at) - $2::timestamptz) as seconds
    from webhooks.attempts a where a.organization_id = $1 and a.at > $2::timestamptz and a.error is null`;

/** Deliveries per second, from the commit that creates them to the last recorded result. */
async function deliver({ pool, organizations }: Bench, ids: string[], count: number): Promise<number> {
  const { id } = organizations[organization]!;
  const client = await pool.connect();
  await client.query('begin');
  await client.query(POST, [id, ids, count, payload]);
  const { rows } = await client.query<{ at: string }>('select clock_timestamp()::text as at');
  await client.query('notify webhook_deliveries');
  await client.query('commit');
  client.release();
  for (let open = count; open > 0; ) {
    await wait(100);
    open = (await pool.query(OPEN, [id, ids])).rows[0].open;
  }
  const { done, seconds } = (await pool.query(DONE, [id, rows[0]!.at])).rows[0];
  if (done !== count) throw new Error(`${done} of ${count} deliveries arrived`);
  return count / Number(seconds);
}

const payload = JSON.stringify({
  webhookId: '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a69',
  event,
  payload: { id: '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a70', status: 'completed', completedAt: '2026-01-01T00:00:00.000Z' },
});

async function sendAll({ peer, hook }: Bench, count: number, window: number): Promise<number> {
  const { url } = await peer('deliveries');
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ url: hook, count, window, body: payload });
  return (count * 1_000) / JSON.parse(await bodyOf({ url: `${url}/run`, headers, body })).ms;
}
