import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import { type Database, openDatabase, query, sql } from '../../platform/database/database.ts';
import { DatabaseWatch } from '../../platform/database/watch.ts';
import { identityTables } from '../../platform/identity/tables.ts';
import { transactional } from '../../platform/scope/index.ts';
import { createDatabase } from '../support/database.ts';
import { startForwarder } from '../support/forwarder.ts';

let own: Awaited<ReturnType<typeof createDatabase>>;
let database: Database;
beforeAll(async () => {
  own = await createDatabase();
  database = await openDatabase(own.url, [identityTables], { connections: 2 });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

test('transactions that lose their connections do not exhaust the pool', async () => {
  for (let count = 0; count < 5; count += 1) {
    const lost = transactional(database.orm.em.fork() as EntityManager, async (em) => {
      await query(em, sql`select pg_terminate_backend(pg_backend_pid())`);
    });
    await expect(lost).rejects.toThrow(/terminat/);
  }
  const { rows } = await database.pool.query('select 1 as one');
  expect(rows).toEqual([{ one: 1 }]);
});

test('a connection that silently lost its statement is closed, and one with a long statement is not', async () => {
  const url = new URL(own.url);
  const forwarder = await startForwarder(url.hostname, Number(url.port));
  url.port = String(forwarder.port);
  const behind = await openDatabase(url.href, [identityTables], { connections: 2 });
  try {
    const client = await behind.pool.connect();
    forwarder.lose();
    const lost = client.query('select 1 as one').finally(() => client.release());
    const long = behind.pool.query('select pg_sleep(9), 2 as two');
    await expect(lost).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect((await long).rows).toMatchObject([{ two: 2 }]);
    // Both places of the pool work.
    const { rows } = (await Promise.all([1, 2].map(() => behind.pool.query('select 1 as one, pg_sleep(0.1)'))))[1]!;
    expect(rows).toMatchObject([{ one: 1 }]);
  } finally {
    await behind.close();
    await forwarder.cut();
  }
});

test('a server whose results still arrive is alive, although pings get no response', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const pool = new pg.Pool({ connectionString: own.url, max: 1 });
  const url = new URL(own.url);
  url.port = String((silent.address() as AddressInfo).port);
  const watch = new DatabaseWatch(pool, { url: url.href, directUrl: url.href });
  const client = await pool.connect();
  try {
    for (let count = 0; count < 35; count += 1) await client.query('select pg_sleep(0.2)');
    // Without results, it is frozen.
    await expect(client.query('select pg_sleep(20)')).rejects.toThrow();
  } finally {
    watch.close();
    client.release(true);
    await pool.end();
    silent.close();
  }
});
