import type { EntityManager } from '@mikro-orm/postgresql';
import { type Database, openDatabase, query, sql } from '../../subgraphs/common/database.ts';
import { identityTables } from '../../subgraphs/common/identity/tables.ts';
import { transactional } from '../../subgraphs/common/scope.ts';
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
}, 60_000);
