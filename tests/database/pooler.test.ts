import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Database, openDatabase, query, sql } from '../../platform/database/database.ts';
import { Statements } from '../../platform/database/statements.ts';
import { identityTables } from '../../platform/identity/tables.ts';
import { Notifications } from '../../platform/queues/notifications.ts';
import type { Part } from '../cluster/part.ts';
import { poolerPart } from '../cluster/pooler.ts';
import { portsFor } from '../cluster/ports.ts';
import { findPooler } from '../cluster/programs.ts';
import { createDatabase } from '../support/database.ts';
import { database as connectDirectly } from '../support/seed.ts';
import { sleepers } from '../support/sleepers.ts';
import { until } from '../support/until.ts';

const pgbouncer = await findPooler();
const whenInstalled = pgbouncer ? describe : describe.skip;

whenInstalled('behind PgBouncer in transaction mode', () => {
  let folder: string;
  let own: Awaited<ReturnType<typeof createDatabase>>;
  let pooler: Part;
  let database: Database;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-graph-pooler-'));
    own = await createDatabase();
    const { pooler: port } = await portsFor(['pooler']);
    const { part, url } = await poolerPart(pgbouncer!, folder, own.url, port, { sessions: 2 });
    pooler = part;
    await pooler.start();
    database = await openDatabase(url, [identityTables], { connections: 8, directUrl: own.url });
  });
  afterAll(async () => {
    await database.close();
    await pooler.stop();
    await own.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** On another connection, because the pooler has only two sessions. */
  const asleep = () => sleepers(connectDirectly(own.url));

  test('named statements run in any session', async () => {
    const ask = (at: number) => database.pool.query({ name: 'one name', text: 'select $1::int as at', values: [at] });
    const rows = await Promise.all(Array.from({ length: 40 }, (_, at) => ask(at)));
    expect(rows.map((each) => each.rows[0].at)).toEqual(Array.from({ length: 40 }, (_, at) => at));
  });

  test('sessions have the timeouts of the product', async () => {
    const { rows } = await database.pool.query(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
              current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    expect(rows).toEqual([{ statement: '30s', lock: '10s', idle: '30s' }]);
  });

  test('an abort cancels the statement of its caller, and no other', async () => {
    const statements = new Statements(database.pool, own.url, database.isPooled);
    const other = database.pool.query('select pg_sleep(2), 1 as one');
    const gone = new AbortController();
    const running = statements.run({ text: 'select pg_sleep(3600)' }, gone.signal).catch((reason: unknown) => reason);
    await until(async () => (await asleep()) === 2);
    gone.abort(new Error('The caller left'));
    expect(await running).toBe(gone.signal.reason);
    expect((await other).rows[0].one).toBe(1);
    await statements.close();
  });

  test('an abort cancels a statement in a transaction of the query builder', async () => {
    const gone = new AbortController();
    const em = database.orm.em.fork({ signal: gone.signal, inflightQueryAbortStrategy: 'cancel query' }) as EntityManager;
    const running = em
      .transactional((inner) => query(inner as EntityManager, sql`select pg_sleep(3600)`))
      .catch((reason: unknown) => reason);
    await until(async () => (await asleep()) === 1);
    gone.abort(new Error('The caller left'));
    expect(await running).toBe(gone.signal.reason);
    await until(async () => (await asleep()) === 0);
  });

  test('notifications arrive over the direct address', async () => {
    const notifications = await new Notifications(database.directUrl).open();
    const seen: string[] = [];
    notifications.on('pooled', (payload) => seen.push(payload));
    // The empty payload says that the channel is open.
    await until(() => seen.length === 1);
    await database.pool.query(`select pg_notify('pooled', 'hello')`);
    await until(() => seen.length === 2);
    expect(seen).toEqual(['', 'hello']);
    await notifications.close();
  });
});
