import type { EntityManager } from '@mikro-orm/postgresql';
import { type Database, openDatabase, query, sql } from '../../subgraphs/common/database.ts';
import { identityTables } from '../../subgraphs/common/identity/tables.ts';
import { transactional } from '../../subgraphs/common/scope.ts';
import { createDatabase } from '../support/database.ts';

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
