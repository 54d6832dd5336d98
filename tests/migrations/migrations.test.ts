import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import { type Database, migrate, openDatabase } from '../../platform/database/database.ts';
import { tables } from '../../start/graph.ts';
import { RecordsOfDeliveries } from '../../subgraphs/agent/migrations/0233-records-of-deliveries.ts';
import { ProposalsOfDeletedProducts } from '../../subgraphs/catalog/migrations/0186-proposals-of-deleted-products.ts';
import { ReplacedProposals } from '../../subgraphs/catalog/migrations/0187-replaced-proposals.ts';
import { RedirectCounts } from '../../subgraphs/site-content/migrations/0193-redirect-counts.ts';
import { root } from '../structure/files.ts';
import { createDatabase, EMPTY } from '../support/database.ts';
import { duringTransaction } from '../support/rival.ts';
import { until } from '../support/until.ts';

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

test('migrating again changes nothing', async () => {
  expect(await migrate(database)).toEqual([]);
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
      this.addSql(`create table first as select current_setting('statement_timeout') as timeout`);
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
    const { rows } = await partial.pool.query(`select timeout, to_regclass('second') as second from first`);
    expect(rows).toEqual([{ timeout: '0', second: null }]);
    expect((await partial.pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '30s' }]);
  } finally {
    await partial.close();
    await fresh.drop();
  }
});

/** The database with one more migration to run. */
const withMigration = (name: string, migration: new (...args: ConstructorParameters<typeof Migration>) => Migration) => {
  const group = { entities: tables.flatMap(({ entities }) => entities), migrations: [{ name, class: migration }] };
  return openDatabase(database.directUrl, [group], { connections: 1 });
};

test('products can be written while the values of deleted ones leave the review queue', async () => {
  const { pool } = database;
  await pool.query(`
    drop trigger close_proposals on catalog.products;
    drop function catalog.close_proposals();
    begin;
    set local session_replication_role = replica;
    insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, proposed)
      select id, 'color', id, id, id, 50, '{}' from gen_random_uuid() as id;
    commit`);
  const again = await withMigration('test-0186', ProposalsOfDeletedProducts);
  const holder = await pool.connect();
  await holder.query('begin; select from catalog.proposals for update');
  const migrated = migrate(again);
  const isWaiting = `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as is`;
  await until(async () => (await pool.query(isWaiting)).rows[0].is);
  await pool.query('begin; lock table catalog.products in row exclusive mode nowait; rollback');
  await holder.query('commit');
  holder.release();
  expect(await migrated).toEqual(['test-0186']);
  await again.close();
  expect((await pool.query('select from catalog.proposals')).rowCount).toBe(0);
});

test('values that a later job replaced leave the review queue, and the later one takes over what they had replaced', async () => {
  const { pool } = database;
  const product = randomUUID();
  await pool.query(`
    begin;
    set local session_replication_role = replica;
    insert into catalog.products (id, organization_id, sku, name, attributes)
      values ('${product}', '${product}', 'P1', 'Hammer', '{"color": {"value": "green"}, "size": {"value": "edited"}}');
    insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, proposed, verdict, base, base_provenance)
      select gen_random_uuid(), slug, p.id, p.id, p.id, 50, jsonb_build_object('value', value), verdict, jsonb_build_object('value', base),
             jsonb_build_object('model', base)
        from catalog.products p,
             (values ('color', 'pink', null, 'white'), ('color', 'red', null, 'pink'), ('color', 'blue', 'reject', 'pink'),
                     ('color', 'green', null, 'red'), ('size', 'large', null, 'small')) as written (slug, value, verdict, base)
       where p.id = '${product}';
    commit`);
  const again = await withMigration('test-0187', ReplacedProposals);
  expect(await migrate(again)).toEqual(['test-0187']);
  await again.close();
  const { rows } = await pool.query(
    `select proposed ->> 'value' as value, base ->> 'value' as base, base_provenance ->> 'model' as model
       from catalog.proposals where product_id = $1 order by 1`,
    [product],
  );
  expect(rows).toEqual([
    { value: 'blue', base: 'pink', model: 'pink' },
    { value: 'green', base: 'white', model: 'white' },
    { value: 'large', base: 'small', model: 'small' },
  ]);
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

test('a redirect knows that its page is published, also if that happens while the redirects are counted', async () => {
  const { pool } = database;
  const id = randomUUID();
  await pool.query(`
    drop trigger note_redirects on site_content.pages;
    drop trigger note_redirects on site_content.items;
    drop trigger note_redirects on site_content.posts;
    drop function site_content.note_redirects();
    drop trigger set_published on site_content.redirects;
    drop function site_content.set_redirect_published();
    drop trigger count_redirects_added on site_content.redirects;
    drop trigger count_redirects_removed on site_content.redirects;
    drop trigger count_redirects_moved on site_content.redirects;
    alter table site_content.redirects drop column published;
    begin;
    set local session_replication_role = replica;
    insert into identity.organizations (id, slug, name) values ('${id}', 'redirecting', 'Redirecting');
    insert into site_content.pages (id, organization_id, site_id, title, slug, path, content, seo, status)
      values ('${id}', '${id}', '${id}', 'Moved', 'moved', '/moved', '', '{}', 'draft');
    insert into site_content.redirects (id, organization_id, site_id, parent_id, kind, address, record_id)
      values ('${id}', '${id}', '${id}', '${id}', 'page', '/former', '${id}');
    commit`);
  const again = await withMigration('test-0193', RedirectCounts);
  const publish = `set local session_replication_role = replica; update site_content.pages set status = 'published', published_at = now() where id = '${id}'`;
  const applied = await duringTransaction(
    (rival) => rival.query(publish),
    () => migrate(again),
    undefined,
    pool,
  );
  expect(applied).toEqual(['test-0193']);
  await again.close();
  expect((await pool.query('select published from site_content.redirects')).rows).toEqual([{ published: true }]);
  const { rows } = await pool.query(`select key, count::int from identity.row_counts where list = 'redirects'`);
  expect(rows).toEqual([{ key: [id, 'true'], count: 1 }]);
});

test('deliveries of the version before refer to their lead, submission or ticket', async () => {
  const { pool } = database;
  const [lead, ticket] = [randomUUID(), randomUUID()];
  const bodies = [
    ['lead.created', { id: lead }, lead],
    ['form.submitted', { id: lead }, lead],
    ['ticket.replied', { ticketNumber: 'TKT-1' }, ticket],
    ['ticket.created', { ticketNumber: 'TKT-2' }, null],
    ['lead.created', { id: 'sample' }, null],
    ['page.created', { id: lead }, null],
  ] as const;
  const client = await pool.connect();
  await client.query('begin; set local session_replication_role = replica');
  await client.query(
    `insert into agent.tickets (id, organization_id, agent_id, agent_name, ticket_number, subject, description, status, priority, source)
     values ($1, $1, $1, '', 'TKT-1', '', '', 'new', 'normal', 'api')`,
    [ticket],
  );
  await client.query(
    `insert into webhooks.deliveries (id, organization_id, subscription_id, event, body, created_at)
     select gen_random_uuid(), $1, $1, event, json_build_object('data', data)::text, now() + place * interval '1 second'
       from unnest($2::text[], $3::json[]) with ordinality given (event, data, place)`,
    [ticket, bodies.map(([event]) => event), bodies.map(([, data]) => JSON.stringify(data))],
  );
  await client.query('commit');
  client.release();
  const again = await withMigration('test-0233', RecordsOfDeliveries);
  expect(await migrate(again)).toEqual(['test-0233']);
  await again.close();
  const { rows } = await pool.query('select record_id from webhooks.deliveries order by created_at');
  expect(rows.map((row) => row.record_id)).toEqual(bodies.map(([, , record]) => record));
});
