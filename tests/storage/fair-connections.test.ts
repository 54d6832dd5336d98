import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase } from '../../platform/database/database.ts';
import { onBehalfOf } from '../../platform/database/index.ts';
import { caller } from '../support/client.ts';
import { openGateway } from '../support/gateway.ts';
import { seedOrganization, database as shared } from '../support/seed.ts';

const database = await openDatabase(process.env.TEST_DATABASE_URL!, [], { connections: 4 });
afterAll(() => database.close());
const { pool } = database;

test('the next connection is for the owner that uses the fewest, and one owner never has all', async () => {
  const order: string[] = [];
  const take = (owner: string | undefined) =>
    onBehalfOf(owner, async () => {
      const client = await pool.connect();
      order.push(owner ?? 'own');
      return () => client.release();
    });
  const held = await Promise.all([1, 2, 3].map(() => take('a')));
  const later = [4, 5, 6].map(() => take('a'));
  await wait(50);
  expect(order).toEqual(['a', 'a', 'a']);
  // The last connection is free for others.
  const first = await take('b');
  const second = take('b');
  const own = take(undefined);
  await wait(50);
  expect(order).toEqual(['a', 'a', 'a', 'b']);
  held[0]!();
  (await own)();
  (await second)();
  first();
  for (const release of held.slice(1)) release();
  for (const release of await Promise.all(later)) release();
  expect(order).toEqual(['a', 'a', 'a', 'b', 'own', 'b', 'a', 'a', 'a']);
  // All are back.
  const all = await Promise.all(Array.from({ length: 4 }, () => take(undefined)));
  for (const release of all) release();
});

test('a connection that is lost or cannot be opened is not counted any more', async () => {
  const lost = await onBehalfOf('a', () => pool.connect());
  lost.on('error', () => {});
  const { rows } = await lost.query<{ pid: number }>('select pg_backend_pid() as pid');
  await pool.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
  await expect(lost.query('select 1')).rejects.toThrow();
  lost.release(true);
  for (let at = 0; at < 20; at++) await onBehalfOf('a', () => pool.query('select 1'));
  expect(pool.waitingCount).toBe(0);
});

test('an organization whose requests wait for a lock leaves connections to others', async () => {
  const gateway = await openGateway({ DATABASE_POOL: '4' });
  const [one, other] = await Promise.all([seedOrganization(), seedOrganization()]);
  const { url } = gateway;
  const create = 'mutation { createProduct(input: { sku: "A", name: "A" }) { id } }';
  const { id } = (await caller(one.key, { url }).graphql(create)).createProduct;
  const lock = await shared().connect();
  try {
    await lock.query('begin');
    await lock.query('select from catalog.products where id = $1 for update', [id]);
    const change = 'mutation ($id: ID!, $name: String!) { updateProduct(id: $id, input: { name: $name }) { name } }';
    let answered = 0;
    const changes = Array.from({ length: 30 }, async (_, at) => {
      const answer = await caller(one.key, { url }).graphql(change, { id, name: `A ${at}` });
      answered += 1;
      return answer;
    });
    await wait(500);
    for (let at = 0; at < 3; at++)
      expect((await caller(other.key, { url }).post(`/api/${other.slug}/products/get`)).status).toBe(200);
    expect(answered).toBe(0);
    await lock.query('commit');
    expect(await Promise.all(changes)).toHaveLength(30);
  } finally {
    lock.release(true);
    await gateway.stop();
  }
});
