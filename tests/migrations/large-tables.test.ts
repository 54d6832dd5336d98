import { Migration } from '@mikro-orm/migrations';
import type { Constructor } from '@mikro-orm/postgresql';
import pg from 'pg';
import { migrate, openDatabase } from '../../platform/database/database.ts';
import { buildIndex, OnlineMigration } from '../../platform/database/index.ts';
import { tables } from '../../start/subgraphs.ts';
import { createDatabase } from '../support/database.ts';
import { duringTransaction } from '../support/rival.ts';
import { until } from '../support/until.ts';

class AuthorsOfNotes extends Migration {
  override up(): void {
    // The default is five seconds.
    this.addSql(`set local lock_timeout = '100ms'; alter table notes add column author text`);
  }
}

class TextsOfNotes extends OnlineMigration {
  protected readonly statements = buildIndex('public.notes_text', 'public.notes (text)');
}

const created = await createDatabase();
const pool = new pg.Pool({ connectionString: created.url, max: 5 });
pool.on('error', () => {});
beforeAll(async () => {
  await pool.query(`
    create table notes (id bigint generated always as identity primary key, text text not null);
    insert into notes (text) select 'Note ' || n from generate_series(1, 10000) n`);
});
afterAll(async () => {
  await pool.end();
  await created.drop();
});

/** Run one more migration. */
async function run(name: string, migration: Constructor<Migration>): Promise<string[]> {
  const group = { entities: tables.flatMap(({ entities }) => entities), migrations: [{ name, class: migration }] };
  const database = await openDatabase(created.url, [group], { connections: 1 });
  return migrate(database).finally(() => database.close());
}

const WRITE = `begin; set local lock_timeout = '1s'; insert into notes (text) values ('New'); commit`;

test('a migration that cannot lock a table in time gives up, and runs with the next start', async () => {
  const columns = `select from information_schema.columns where table_name = 'notes' and column_name = 'author'`;
  await duringTransaction(
    (reader) => reader.query('select count(*) from notes'),
    () => expect(run('notes-0001', AuthorsOfNotes)).rejects.toThrow(/lock timeout/),
    () => pool.query(WRITE),
    pool,
  );
  expect((await pool.query(columns)).rowCount).toBe(0);
  expect(await run('notes-0001', AuthorsOfNotes)).toEqual(['notes-0001']);
  expect((await pool.query(columns)).rowCount).toBe(1);
});

test('an index is built while others write, and an interrupted build starts again', async () => {
  const isValid = `select indisvalid as valid from pg_index where indexrelid = to_regclass('public.notes_text')`;
  const builder = `select pid from pg_stat_activity where datname = current_database() and query like 'create index concurrently%'`;
  await duringTransaction(
    (writer) => writer.query(`insert into notes (text) values ('Uncommitted')`),
    () => expect(run('notes-0002', TextsOfNotes)).rejects.toThrow(),
    async () => {
      await pool.query(WRITE);
      await pool.query(`select pg_terminate_backend(pid) from (${builder}) building`);
      await until(async () => (await pool.query(builder)).rowCount === 0);
    },
    pool,
  );
  expect((await pool.query(isValid)).rows).toEqual([{ valid: false }]);
  expect(await run('notes-0002', TextsOfNotes)).toEqual(['notes-0002']);
  expect((await pool.query(isValid)).rows).toEqual([{ valid: true }]);
});
