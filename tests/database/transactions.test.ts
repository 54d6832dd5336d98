import type { EntityManager } from '@mikro-orm/postgresql';
import { type Database, openDatabase, query, sql } from '../../platform/database/database.ts';
import { afterCommit, forbidInTransaction } from '../../platform/database/transactions.ts';
import { fresh, type Scope, transaction } from '../../platform/scope/index.ts';
import type { Services } from '../../platform/subgraph/services.ts';
import { createDatabase } from '../support/database.ts';

let database: Database;
let drop: () => Promise<void>;
let scope: Scope;
beforeAll(async () => {
  const created = await createDatabase();
  drop = created.drop;
  database = await openDatabase(created.url, [], { connections: 2 });
  await database.pool.query('create table fact (name text)');
});
afterAll(async () => {
  await database.close();
  await drop();
});
beforeEach(async () => {
  await database.pool.query('truncate fact');
  scope = { em: database.orm.em.fork() as EntityManager, organizationId: 'none', services: {} as Services };
});

const note = ({ em }: Scope, name: string) => query(em, sql`insert into fact values (${name})`);
const facts = async () => (await database.pool.query('select name from fact order by name')).rows.map(({ name }) => name);

test.each<[string, () => Promise<unknown>]>([
  ['the pool', () => database.pool.query('select 1')],
  ['a connection', () => database.pool.connect()],
  ['another entity manager', () => query(database.orm.em.fork() as EntityManager, sql`select 1`)],
  ['a wait of another kind', async () => forbidInTransaction('A queue')],
])('a transaction that requests %s throws and is rolled back', async (_, ask) => {
  const work = transaction(scope, async (inner) => {
    await note(inner, 'lost');
    await ask();
  });
  await expect(work).rejects.toThrow(/must not be used inside a transaction/);
  expect(await facts()).toEqual([]);
  expect([database.pool.totalCount - database.pool.idleCount, database.pool.waitingCount]).toEqual([0, 0]);
});

test('more transactions than connections all complete', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `fact ${String(n).padStart(2, '0')}`);
  await Promise.all(names.map((name) => transaction(scope, (inner) => note(inner, name))));
  expect(await facts()).toEqual(names);
});

test('a nested transaction and a fresh scope stay on the connection of the outer one', async () => {
  await transaction(scope, async (outer) => {
    await transaction(outer, (inner) => note(inner, 'inner'));
    await note(fresh(outer), 'fresh');
    const lost = transaction(outer, async (inner) => {
      await note(inner, 'lost');
      throw new Error('rolled back');
    });
    await expect(lost).rejects.toThrow('rolled back');
  });
  expect(await facts()).toEqual(['fresh', 'inner']);
});

test('commit hooks run after the commit, and not after a rollback', async () => {
  const seen: string[][] = [];
  const committed: Promise<void>[] = [];
  const look = () => committed.push(facts().then((names) => void seen.push(names)));
  await transaction(scope, async (inner) => {
    await note(inner, 'kept');
    afterCommit(look);
    await transaction(inner, async () => afterCommit(look));
    expect(committed).toEqual([]);
  });
  await Promise.all(committed);
  expect(seen).toEqual([['kept'], ['kept']]);

  const failing = transaction(scope, async () => {
    afterCommit(look);
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect(committed).toHaveLength(2);
});

test('work that outlives its transaction may use the pool', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let late: Promise<unknown> | undefined;
  await transaction(scope, async () => {
    late = promise.then(() => database.pool.query('select 1'));
  });
  resolve();
  await expect(late).resolves.toMatchObject({ rowCount: 1 });
});

test('the wait for a connection is bounded', async () => {
  const held = [await database.pool.connect(), await database.pool.connect()];
  try {
    await expect(database.pool.query('select 1')).rejects.toThrow('timeout exceeded when trying to connect');
  } finally {
    for (const client of held) client.release();
  }
});
