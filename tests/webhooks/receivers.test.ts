import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Secrets } from '../../platform/secrets/index.ts';
import { claimDue } from '../../platform/webhooks/claim.ts';
import { authority, expired, foreign, valid } from '../outbound/authority.ts';
import { selfSigned } from '../outbound/certificate.ts';
import { startNameServer } from '../outbound/name-server.ts';
import { insertEvent } from '../support/event-sql.ts';
import { until } from '../support/until.ts';
import { type Engine, openEngine } from './engine.ts';
import { startReceiver } from './receiver.ts';

let engine: Engine;
const open: (() => Promise<unknown>)[] = [];
const receiver = async (...reply: Parameters<typeof startReceiver>) => {
  const started = await startReceiver(...reply);
  open.push(started.close);
  return started;
};
const engineOf = async (...options: Parameters<typeof openEngine>) => {
  const made = await openEngine(...options);
  open.push(() => made.close());
  return made;
};

beforeEach(async () => {
  engine = await engineOf();
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

test('hanging receivers of an organization delay no other, even at the same origin', async () => {
  const shared = await receiver(({ path }, response) => void (path === '/fine' && response.end('ok')));
  const elsewhere = await receiver();
  for (let count = 0; count < 20; count += 1) await engine.subscribe(`${shared.url}/hang`, { surface: 'catalog' });
  for (let count = 0; count < 20; count += 1) await engine.emit();
  engine.start();
  // Half of the slots of the process.
  await until(async () => (await leased()) === 128);
  const other = await engine.addTenant();
  await other.subscribe(`${shared.url}/fine`);
  await other.subscribe(elsewhere.url);
  await other.emit();
  await elsewhere.waitFor(1);
  await until(() => shared.calls.some(({ path }) => path === '/fine'));
  // No delivery has ended, or others would have begun.
  expect(shared.calls.filter(({ path }) => path === '/hang').length).toBeLessThanOrEqual(128);
  await until(async () => (await leased()) === 128);
});

const leased = async () =>
  (await engine.pool.query('select count(*)::int as count from webhooks.deliveries where leased_until > now()')).rows[0].count;

test('slots are shared fairly between organizations', async () => {
  const tenants = [engine, await engine.addTenant(), await engine.addTenant()];
  for (const tenant of tenants) for (let count = 0; count < 4; count += 1) await tenant.subscribe('http://127.0.0.1:1');
  for (const tenant of tenants) for (let count = 0; count < 5; count += 1) await tenant.emit();
  const claimed = await claimDue(engine.pool, 24);
  expect(claimed).toHaveLength(12);
  const more = await claimDue(engine.pool, 12, claimed);
  const counts = Map.groupBy([...claimed, ...more], ({ organizationId }) => organizationId);
  expect([...counts.values()].map(({ length }) => length)).toEqual([6, 6, 6]);
  // Each organization holds as many slots as are free.
  expect(await claimDue(engine.pool, 6, [...claimed, ...more])).toEqual([]);
});

test('a receiver with any number of failures is retried, and the count stays', async () => {
  const { url } = await receiver((_, response) => response.writeHead(500).end());
  const { id } = await engine.subscribe(url, { surface: 'catalog' });
  await engine.pool.query('update webhooks.subscriptions set failure_count = 2147483647');
  engine.start();
  await engine.emit();
  expect(await engine.tried(id, 1)).toMatchObject({ status: 'failed', response_status: 500 });
  expect(await engine.subscription(id)).toEqual({ enabled: true, failure_count: 2_147_483_647 });
});

test('every redirect is rejected', async () => {
  const secret = await receiver();
  const redirecting = await receiver((_, response) => response.writeHead(307, { location: secret.url }).end());
  const { id } = await engine.subscribe(redirecting.url);
  engine.start();
  await engine.emit();
  expect(await engine.tried(id, 1)).toMatchObject({
    response_status: 307,
    last_error: expect.stringMatching(/redirects to another/),
  });
  expect(secret.calls).toEqual([]);
});

test('an address is checked again before each delivery', async () => {
  const strict = await engineOf({ allowHosts: [] });
  const { url, calls } = await receiver();
  const [literal, named] = [await strict.subscribe(url), await strict.subscribe(url.replace('127.0.0.1', 'localhost'))];
  strict.start();
  await strict.emit();
  for (const { id } of [literal, named])
    expect(await strict.tried(id, 1)).toMatchObject({
      response_status: null,
      last_error: 'The address is not on the public internet.',
    });
  expect(calls).toEqual([]);
});

test('a receiver that is down is retried after it recovers', async () => {
  const first = await startReceiver();
  const { id } = await engine.subscribe(first.url);
  await first.close();
  engine.start();
  await engine.emit();
  expect(await engine.tried(id, 1)).toMatchObject({ status: 'pending', last_error: 'The address could not be reached.' });
  const back = await receiver();
  await engine.pool.query('update webhooks.subscriptions set url = $2 where id = $1', [id, back.url]);
  await engine.skipWaits();
  expect(await engine.tried(id, 2)).toMatchObject({ status: 'delivered' });
});

test('a connection reset is a failed attempt', async () => {
  const { url } = await receiver((_, response) => response.destroy());
  const { id } = await engine.subscribe(url);
  engine.start();
  await engine.emit();
  expect(await engine.tried(id, 1)).toMatchObject({
    status: 'pending',
    response_status: null,
    last_error: 'The address could not be reached.',
  });
});

test('the status counts, also when the rest of the response breaks off', async () => {
  const breaking = async (status: number) => {
    const { url } = await receiver((_, response) => {
      response.writeHead(status, { 'content-length': 100 }).write('ok', () => response.socket?.resetAndDestroy());
    });
    return engine.subscribe(url);
  };
  const [delivered, failed, gone] = [await breaking(200), await breaking(500), await breaking(410)];
  engine.start();
  await engine.emit();
  expect(await engine.tried(delivered.id, 1)).toMatchObject({ status: 'delivered', response_status: 200, last_error: null });
  expect(await engine.tried(failed.id, 1)).toMatchObject({
    status: 'pending',
    response_status: 500,
    last_error: 'The receiver answered with status 500.',
  });
  await until(async () => (await engine.subscription(gone.id)) === undefined);
});

test('receivers with invalid certificates are retried, and the log has the reason', async () => {
  const authorities = getCACertificates();
  setDefaultCACertificates([...authorities, authority]);
  open.push(async () => setDefaultCACertificates(authorities));
  const served: string[] = [];
  const secure = async (name: string, certificate: { key: string; cert: string }) => {
    const server = createSecureServer(certificate, (_, response) => response.end(String(served.push(name))));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(async () => void server.close().closeAllConnections());
    return (await engine.subscribe(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)).id;
  };
  const good = await secure('valid', valid);
  const bad = [
    [await secure('expired', expired), 'The certificate of the address has expired.'],
    [await secure('foreign', foreign), 'The certificate of the address is for another host name.'],
    [await secure('self-signed', selfSigned), 'The certificate of the address is self-signed.'],
  ] as const;
  engine.start();
  await engine.emit();
  for (const [id, last_error] of bad) {
    const { wait, ...delivery } = await engine.tried(id, 1);
    expect(delivery).toMatchObject({ status: 'pending', response_status: null, last_error });
    expect(wait).toBeGreaterThan(30);
  }
  expect(await engine.tried(good, 1)).toMatchObject({ status: 'delivered' });
  expect(served).toEqual(['valid']);
});

test('deliveries to names whose server is silent fail in time and are retried, and others do not wait for them', async () => {
  const { address, asked } = await startNameServer(() => []);
  const behind = await engineOf({ nameServers: [address] });
  const { url, waitFor } = await receiver();
  const silent: string[] = [];
  for (let count = 0; count < 10; count += 1) silent.push((await behind.subscribe(`https://hooks-${count}.example.com`)).id);
  behind.start();
  await behind.emit();
  await until(() => asked.length >= 10);
  const { id } = await behind.subscribe(url);
  await behind.emit();
  await waitFor(1);
  expect(await behind.tried(id, 1)).toMatchObject({ status: 'delivered' });
  const last_error = 'The host name of the address could not be resolved in time.';
  for (const each of silent) expect(await behind.tried(each, 1)).toMatchObject({ status: 'pending', last_error });
});

test('only the beginning of a long response is stored', async () => {
  const { url } = await receiver((_, response) =>
    response.writeHead(200, { 'content-length': 50_000_000 }).end(`\0ok\ud800${'x'.repeat(49_999_994)}`),
  );
  const { id } = await engine.subscribe(url);
  engine.start();
  await engine.emit();
  expect(await engine.tried(id, 1)).toMatchObject({ status: 'delivered', response_status: 200 });
  const { rows } = await engine.pool.query('select response_snippet from webhooks.attempts');
  expect(rows[0].response_snippet).toMatch(/^ok\ufffdx+$/);
  expect(rows[0].response_snippet.length).toBeLessThanOrEqual(500);
});

test('several processes send each delivery once', async () => {
  const { url, calls, waitFor } = await receiver();
  const subscriptions = await Promise.all(Array.from({ length: 5 }, () => engine.subscribe(url)));
  for (let count = 0; count < 40; count += 1) await engine.emit();
  const deliverers = [engine.start(), engine.start(), engine.start()];
  const swept = await Promise.all(deliverers.map((each) => each.sweep()));
  await waitFor(200);
  for (const { id } of subscriptions)
    await until(async () => (await engine.deliveries(id)).every(({ status }) => status === 'delivered'));
  expect(calls).toHaveLength(200);
  expect(new Set(calls.map(({ headers }) => headers['x-svc-delivery'])).size).toBe(200);
  expect(swept.every(({ failed }) => failed === 0)).toBe(true);
  expect(await deliverers[0]!.sweep()).toEqual({ processed: 0, delivered: 0, failed: 0, remaining: 0 });
});

test('deliveries of a dead process are sent again after the lease expires', async () => {
  const { url, calls, waitFor } = await receiver();
  await engine.subscribe(url);
  await engine.emit();
  expect(await claimDue(engine.pool, 10)).toHaveLength(1);
  expect(await claimDue(engine.pool, 10)).toEqual([]);
  const deliverer = engine.start();
  expect(await deliverer.sweep()).toMatchObject({ processed: 0, remaining: 0 });
  expect(calls).toEqual([]);
  await engine.pool.query(`update webhooks.deliveries set leased_until = now() - interval '1 second'`);
  await deliverer.sweep();
  await waitFor(1);
});

test('the log is deleted after a month, and pending deliveries are not', async () => {
  const { url } = await receiver();
  const { id } = await engine.subscribe(url);
  const deliverer = engine.start();
  await engine.emit();
  await engine.tried(id, 1);
  const parked = await engine.subscribe(url, { events: ['parked'] });
  await engine.pool.query(`update webhooks.deliveries set created_at = now() - interval '31 days'`);
  await engine.pool.query(
    `with emitted as (${insertEvent('parked')})
     insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, next_attempt_at, created_at)
     select gen_random_uuid(), $1, $2, 'parked', id, now() + interval '1 hour', now() - interval '31 days' from emitted`,
    [engine.scope.organizationId, parked.id],
  );
  await deliverer.sweep();
  expect(await engine.deliveries(id)).toEqual([]);
  expect(await engine.deliveries(parked.id)).toHaveLength(1);
});

test('a secret encrypted by an unknown key stops only its own delivery', async () => {
  const { url, waitFor } = await receiver();
  const { id } = await engine.subscribe(url);
  const unsigned = await engine.subscribe(url, { signed: false });
  engine.start(new Secrets(['another key of at least thirty-two characters']));
  await engine.emit();
  await waitFor(1);
  expect(await engine.tried(id, 1)).toMatchObject({ status: 'pending', last_error: 'The delivery could not be prepared.' });
  expect(await engine.tried(unsigned.id, 1)).toMatchObject({ status: 'delivered' });
});
