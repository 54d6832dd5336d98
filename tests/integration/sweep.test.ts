import { caller } from '../support/client.ts';
import { createDatabase } from '../support/database.ts';
import { insertEvent } from '../support/event-sql.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const SECRET = 'the-secret-of-the-scheduler';
let own: Awaited<ReturnType<typeof createDatabase>>;
let gateway: Gateway;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  // No worker delivers from this database.
  own = await createDatabase();
  receiver = await startReceiver(({ path }, response) => void response.writeHead(path === '/down' ? 500 : 200).end());
  gateway = await openGateway({ DATABASE_URL: own.url, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });
});
afterAll(async () => {
  await gateway.stop();
  await receiver.close();
  await own.drop();
});

const sweep = (authorization?: string, url = gateway.url) =>
  caller(undefined, { url }).post('/api/cron/webhook-sweep', undefined, { ...(authorization && { authorization }) });

/** A subscription with due deliveries. */
async function subscribe(path: string, deliveries: number) {
  const { id } = await seedOrganization({ databaseUrl: own.url });
  const pool = database(own.url);
  const { rows } = await pool.query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events)
     values (gen_random_uuid(), $1, 'integration', $2, array['lead.created']) returning id`,
    [id, receiver.url + path],
  );
  await pool.query(
    `with emitted as (${insertEvent('lead.created')})
     insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, next_attempt_at)
     select gen_random_uuid(), $1, $2, 'lead.created', id, now() from emitted, generate_series(1, $3)`,
    [id, rows[0].id, deliveries],
  );
}

test('a sweep sends what is due, and reports it', async () => {
  await subscribe('/up', 5);
  await subscribe('/down', 2);
  const answer = await sweep(`Bearer ${SECRET}`);
  expect(answer).toMatchObject({ status: 200, body: { processed: 7, delivered: 5, failed: 2, remaining: 0 } });
  expect(Object.keys(answer.body)).toEqual(['processed', 'delivered', 'failed', 'remaining']);
  expect(receiver.calls).toHaveLength(7);
  expect((await sweep(`bearer ${SECRET}`)).body).toMatchObject({ processed: 0, remaining: 0 });
});

test('sweeps at once send each delivery once', async () => {
  await subscribe('/many', 40);
  const answers = await Promise.all(Array.from({ length: 5 }, () => sweep(`Bearer ${SECRET}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(answers.reduce((sum, { body }) => sum + body.processed, 0)).toBe(40);
  expect(receiver.calls.filter(({ path }) => path === '/many')).toHaveLength(40);
});

test.each([undefined, 'Bearer', 'Bearer wrong', SECRET, `Basic ${SECRET}`, `Bearer ${SECRET}x`, `Bearer ${'x'.repeat(5_000)}`])(
  'the credential %p is rejected',
  async (authorization) => {
    expect(await sweep(authorization)).toMatchObject({
      status: 401,
      body: { error: { message: 'Invalid credential.', status: 401 } },
    });
  },
);

test('the credential is checked before the body, which is ignored', async () => {
  const send = async (credential: string, body: string, headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${credential}`;
    const init = { method: 'POST', headers: { 'content-type': 'application/json', authorization, ...headers }, body };
    return (await fetch(`${gateway.url}/api/cron/webhook-sweep`, init)).status;
  };
  for (const [body, headers] of [
    ['{"a":'],
    ['[]'],
    ['x', { 'content-type': 'text/plain' }],
    ['{}', { 'content-encoding': 'gzip' }],
  ] as [string, Record<string, string>?][]) {
    expect([body, await send('wrong', body, headers)]).toEqual([body, 401]);
    expect([body, await send(SECRET, body, headers)]).toEqual([body, 200]);
  }
});

test('without a configured secret the sweeper is 503', async () => {
  const message = 'The webhook sweeper is not configured.';
  const unset = await openGateway({ CRON_SECRET: '' });
  for (const authorization of [undefined, 'Bearer ', 'Bearer undefined', `Bearer ${SECRET}`])
    expect(await sweep(authorization, unset.url)).toMatchObject({
      status: 503,
      body: { error: { message, status: 503 } },
    });
  await unset.stop();
});
