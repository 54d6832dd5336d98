import { jest } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Database, openDatabase, query, sql } from '../../platform/database/database.ts';
import { identityTables } from '../../platform/identity/tables.ts';
import { createDatabase } from '../support/database.ts';
import { sleepers } from '../support/sleepers.ts';
import { until } from '../support/until.ts';

let opened: Database;
let drop: () => Promise<unknown>;
beforeAll(async () => {
  const database = await createDatabase();
  drop = database.drop;
  opened = await openDatabase(database.url, [identityTables]);
});
afterAll(async () => {
  await opened.close();
  await drop();
});

const asleep = () => sleepers(opened.pool);
const idle = () => until(async () => (await asleep()) === 0 && opened.pool.totalCount === opened.pool.idleCount);

const sleep = (em: EntityManager) => query(em, sql`select pg_sleep(3600)`);
const ways: Record<string, (em: EntityManager) => Promise<unknown>> = {
  'a statement': sleep,
  'a statement in a transaction': (em) => em.transactional((inner) => sleep(inner as EntityManager)),
  'a statement in a transaction within one': (em) =>
    em.transactional((outer) => outer.transactional((inner) => sleep(inner as EntityManager))),
};

test.each(Object.keys(ways))('%s ends with the abort reason, also in the database, and logs nothing', async (way) => {
  const written = jest.spyOn(console, 'error').mockImplementation(() => {});
  const gone = new AbortController();
  const em = opened.orm.em.fork({ signal: gone.signal, inflightQueryAbortStrategy: 'cancel query' }) as EntityManager;
  const running = ways[way]!(em).catch((reason: unknown) => reason);
  await until(async () => (await asleep()) === 1);
  const reason = new Error('The caller left');
  gone.abort(reason);
  expect(await running).toBe(reason);
  await idle();
  expect(written.mock.calls).toEqual([]);
  written.mockRestore();
});

test('another failure after the abort is written, because nobody receives it', async () => {
  const written = jest.spyOn(console, 'error').mockImplementation(() => {});
  const gone = new AbortController();
  const em = opened.orm.em.fork({ signal: gone.signal, inflightQueryAbortStrategy: 'cancel query' }) as EntityManager;
  const failing = sql`do $$ begin perform pg_sleep(3600); exception when query_canceled then raise 'The disk is full'; end $$`;
  const running = query(em, failing).catch((reason: unknown) => reason);
  await until(async () => (await asleep()) === 1);
  const reason = new Error('The caller left');
  gone.abort(reason);
  expect(await running).toBe(reason);
  await idle();
  expect(written.mock.calls).toEqual([[expect.stringContaining('The disk is full')]]);
  written.mockRestore();
});

test('a statement that another session cancels fails', async () => {
  const gone = new AbortController();
  const em = opened.orm.em.fork({ signal: gone.signal, inflightQueryAbortStrategy: 'cancel query' }) as EntityManager;
  const running = sleep(em).catch((fault: unknown) => fault);
  await until(async () => (await asleep()) === 1);
  await opened.pool.query(
    `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
  );
  expect(await running).toMatchObject({ code: '57014' });
});
