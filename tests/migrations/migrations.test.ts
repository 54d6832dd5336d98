import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import { type Database, migrate, openDatabase } from '../../platform/database/database.ts';
import { tables } from '../../start/subgraphs.ts';
import { root } from '../structure/files.ts';
import { createDatabase, EMPTY } from '../support/database.ts';

interface Column {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
}

const inDatabase = `
  select table_schema || '.' || table_name as table, column_name as column, is_nullable = 'YES' as nullable, column_default is not null or is_identity = 'YES' as filled,
         format_type(a.atttypid, a.atttypmod) as type
    from information_schema.columns c
    join pg_attribute a on a.attrelid = format('%I.%I', table_schema, table_name)::regclass and a.attname = column_name
   where table_schema not in ('pg_catalog', 'information_schema', 'public')`;

/** PostgreSQL's full names of types that the mapper abbreviates. */
async function canonical({ pool }: Database, types: string[]): Promise<string[]> {
  const connection = await pool.connect();
  try {
    await connection.query(`create temporary table written (${types.map((type, at) => `c${at} ${type}`).join(', ')})`);
    const { rows } = await connection.query(
      `select format_type(atttypid, atttypmod) as name from pg_attribute where attrelid = 'written'::regclass and attnum > 0 order by attnum`,
    );
    return rows.map(({ name }) => name);
  } finally {
    connection.release(true);
  }
}

const inEntities = (orm: MikroORM) =>
  tables
    .flatMap((each) => each.entities)
    .flatMap((entity) => {
      const { schema, tableName, props } = orm.getMetadata().get(entity);
      return props
        .filter(({ persist }) => persist !== false)
        .map(({ fieldNames, columnTypes, nullable = false }) => ({
          table: `${schema}.${tableName}`,
          column: fieldNames[0]!,
          type: columnTypes[0]!,
          nullable,
        }));
    });

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const created = await createDatabase({ template: EMPTY });
  drop = created.drop;
  database = await openDatabase(created.url, tables, { connections: 4 });
  await migrate(database);
});
afterAll(async () => {
  await database.close();
  await drop();
});

test('every column of an entity is a column of the migrated database, of the same type', async () => {
  const { rows } = await database.pool.query<Column>(inDatabase);
  const found = new Map(rows.map(({ table, column, type, nullable }) => [`${table}.${column}`, { type, nullable }]));
  const wanted = inEntities(database.orm);
  const types = await canonical(
    database,
    wanted.map(({ type }) => type),
  );
  const expected = wanted.map(({ table, column, nullable }, at) => [`${table}.${column}`, { type: types[at]!, nullable }] as const);
  const differing = expected.filter(([name, { type, nullable }]) => {
    const actual = found.get(name);
    return actual?.nullable !== nullable || !sameType(actual.type, type);
  });
  expect(differing.map(([name, each]) => ({ name, entity: each, database: found.get(name) }))).toEqual([]);
});

/** The length limit of a text column may be stricter than its entity; everything else is equal. */
const sameType = (actual: string, wanted: string) => actual === wanted || (isText(actual) && isText(wanted));
const isText = (type: string) => type === 'text' || type.startsWith('character varying');

test('columns without an entity property are optional in inserts', async () => {
  const { rows } = await database.pool.query<Column & { filled: boolean }>(inDatabase);
  const known = inEntities(database.orm);
  const mapped = new Set(known.map(({ table }) => table));
  const names = new Set(known.map(({ table, column }) => `${table}.${column}`));
  const unknown = rows.filter(({ table, column }) => mapped.has(table) && !names.has(`${table}.${column}`));
  expect(unknown.filter(({ nullable, filled }) => !nullable && !filled)).toEqual([]);
});

/** Foreign keys without an index that has their columns first and all rows of a key. Partitions and their parent have the same keys. */
const unindexed = `
  select c.conrelid::regclass || ' (' || (
           select string_agg(a.attname, ', ' order by k.place)
             from unnest(c.conkey) with ordinality k (attnum, place) join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum) || ')' as key
    from pg_constraint c
   where c.contype = 'f' and c.conparentid = 0 and not exists (
     select from pg_index i
      where i.indrelid = c.conrelid and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey
        and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$'))
   order by 1`;

test('every foreign key has an index, so that a deletion of the row that it refers to scans no table', async () => {
  const { rows } = await database.pool.query<{ key: string }>(unindexed);
  expect(rows.map(({ key }) => key)).toEqual([]);
});

test('migrating again changes nothing, also when a newer version has migrated the database', async () => {
  expect(await migrate(database)).toEqual([]);
  await database.pool.query(`insert into migrations (name) values ('catalog-9999')`);
  expect(await migrate(database)).toEqual([]);
  expect((await database.pool.query(`delete from migrations where name = 'catalog-9999'`)).rowCount).toBe(1);
});

test('a migration that was added between applied ones runs alone', async () => {
  class Nothing extends Migration {
    override up(): void {}
  }
  const entities = tables.flatMap((each) => each.entities);
  const applied = [];
  for (const numbers of [
    [1, 3],
    [1, 2, 3],
  ]) {
    const migrations = numbers.map((number) => ({ name: `test-000${number}`, class: Nothing }));
    const opened = await openDatabase(database.directUrl, [{ entities, migrations }], { connections: 1 });
    applied.push(await migrate(opened).finally(() => opened.close()));
  }
  expect(applied).toEqual([['test-0001', 'test-0003'], ['test-0002']]);
});

test('processes that migrate concurrently all succeed, and each migration runs once', async () => {
  const fresh = await createDatabase({ template: EMPTY });
  const outputs = await Promise.all([1, 2, 3].map(() => runMigrate(fresh.url)));
  const applied = outputs.flatMap(({ text }) => [...text.matchAll(/[\w-]+-\d{4}/g)].map(([name]) => name));
  await fresh.drop();
  expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(applied.sort()).toEqual(tables.flatMap(({ migrations }) => migrations.map(({ name }) => name)).sort());
});

test('each migration commits alone, and may run longer than a request', async () => {
  class First extends Migration {
    override up(): void {
      this.addSql(
        `create table first as select current_setting('statement_timeout') as timeout, current_setting('lock_timeout') as lock`,
      );
    }
  }
  class Failing extends Migration {
    override up(): void {
      this.addSql('create table second (id int); select 1 / 0');
    }
  }
  const migrations = [
    { name: 'test-0001', class: First },
    { name: 'test-0002', class: Failing },
  ];
  const fresh = await createDatabase({ template: EMPTY });
  const partial = await openDatabase(fresh.url, [{ entities: tables.flatMap(({ entities }) => entities), migrations }], {
    connections: 1,
  });
  try {
    await expect(migrate(partial)).rejects.toThrow(/division by zero/);
    const { rows } = await partial.pool.query(`select timeout, lock, to_regclass('second') as second from first`);
    expect(rows).toEqual([{ timeout: '0', lock: '5s', second: null }]);
    expect((await partial.pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '30s' }]);
  } finally {
    await partial.close();
    await fresh.drop();
  }
});

test('the end of sessions clears the caches of all processes, and a sign-in that ends none does not', async () => {
  const user = randomUUID();
  const client = await database.pool.connect();
  const heard: (string | undefined)[] = [];
  client.on('notification', ({ payload }) => heard.push(payload));
  try {
    await client.query(`insert into identity.users (id, email, name) values ($1::uuid, $1::text || '@example.com', 'Ada')`, [user]);
    await client.query(
      `insert into identity.sessions (id, user_id, token_hash, device) values (gen_random_uuid(), $1, sha256('token'), 'test')`,
      [user],
    );
    await client.query('listen identity');
    for (const payload of ['one', 'none']) {
      await client.query('delete from identity.sessions where user_id = $1', [user]);
      await client.query(`select pg_notify('identity', $1)`, [payload]);
    }
    expect(heard).toEqual(['', 'one', 'none']);
  } finally {
    client.release(true);
  }
});

test('an unreachable database yields a message and an exit code', async () => {
  const { code, text } = await runMigrate('postgres://postgres@127.0.0.1:1/none');
  expect(code).toBe(1);
  expect(text).toMatch(/^migrate: .*check DATABASE_URL/);
});

function runMigrate(url: string): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', './start/typescript.mjs', 'start/migrate.ts'], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'warn', DATABASE_URL: url },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('close', (code) => resolve({ code, text }));
  });
}
