import { randomUUID } from 'node:crypto';
import { type Database, openDatabase } from '../../platform/database/database.ts';
import { tables } from '../../start/subgraphs.ts';
import { changeLogs, sweepChanges } from '../../subgraphs/catalog/live/update-log.ts';
import { createDatabase } from '../support/database.ts';
import { readBy } from '../support/scanned-rows.ts';

let database: Database;
let drop: () => Promise<void>;
const [organization, job] = [randomUUID(), randomUUID()];

const CHANGE = `
  with counted as (update catalog.jobs set sequence = sequence + 1 where id = $1 returning sequence)
  insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count)
  select $1, sequence, 'processing', 0, 0, 0 from counted returning sequence::int`;
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const numbers = async (table: string) =>
  (await query(`select sequence::int from ${table} order by sequence`)).map((row) => row.sequence);
const count = async (table: string) => (await query(`select count(*)::int as n from ${table}`))[0].n;

beforeAll(async () => {
  const created = await createDatabase();
  drop = created.drop;
  database = await openDatabase(created.url, tables, { connections: 2 });
  await query(`insert into identity.organizations (id, name, slug) values ($1, 'Lumen', 'lumen')`, [organization]);
  await query(
    `insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, sequence)
     values ($1, $2, 'product-enrichment', 'processing', 'budget-v1', 1, $1, 0)`,
    [job, organization],
  );
});
afterAll(async () => {
  await database.close();
  await drop();
});

test('the change logs have partitions for the next weeks', async () => {
  for (let nth = 1; nth <= 3; nth += 1) await query(CHANGE, [job]);
  for (const { name } of changeLogs) {
    expect(await numbers(name)).toEqual([1, 2, 3]);
    const ahead = `select max(ends_at) > now() + interval '7 weeks' as ahead from identity.partitions_of($1::regclass)`;
    expect(await query(ahead, [name])).toEqual([{ ahead: true }]);
  }
});

test('the sweep drops expired weeks, and no others', async () => {
  expect(await sweepChanges(database.pool)).toBe(0);
  const kept = await count('catalog.job_changes');
  for (const { name } of changeLogs) {
    await query(`alter table ${name} detach partition ${name}_first`);
    await query(`update ${name}_first set at = at - interval '20 weeks'`);
    await query(`alter table ${name} attach partition ${name}_first for values from (minvalue) to (now() - interval '10 weeks')`);
  }
  expect(await count('catalog.job_changes')).toBe(kept);
  expect(await sweepChanges(database.pool)).toBe(2);
  expect(await count('catalog.job_changes')).toBe(0);
  expect((await query(CHANGE, [job]))[0].sequence).toBe(kept + 1);
});

test('rows without a week of their own are accepted, and move into it when it is added', async () => {
  const name = 'catalog.job_changes';
  const [{ ends }] = await query('select max(ends_at)::text as ends from identity.partitions_of($1::regclass)', [name]);
  await query(
    `insert into ${name} (job_id, sequence, status, processed_count, success_count, failed_count, at)
     values ($1, 1000000, 'processing', 0, 0, 0, $2)`,
    [job, ends],
  );
  const stored = `select tableoid::regclass::text as partition from ${name} where sequence = 1000000`;
  expect(await query(stored)).toEqual([{ partition: `${name}_default` }]);
  expect(await query(`select identity.add_partition($1, $2::timestamptz + interval '1 day') as added`, [name, ends])).toEqual([
    { added: true },
  ]);
  expect(await query(stored)).not.toEqual([{ partition: `${name}_default` }]);
});

test('a page of the changes of a job reads its rows and a few blocks of each partition', async () => {
  const connection = await database.pool.connect();
  try {
    await connection.query('set session_replication_role = replica');
    await connection.query(
      `insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count, at)
       select md5((n % 500)::text)::uuid, n / 500, 'processing', 0, 0, 0, now() + n * interval '30 seconds' from generate_series(1, 100000) n`,
    );
  } finally {
    connection.release(true);
  }
  await query('analyze catalog.job_changes');
  const page = `select * from catalog.job_changes r where r.job_id = md5('7')::uuid and r.sequence > 20 order by r.sequence limit 50`;
  const { rows, blocks } = await readBy(database.pool, () => query(page));
  expect(rows).toBeLessThan(300);
  expect(blocks).toBeLessThan(400);
  await query(`delete from catalog.job_changes where job_id <> $1`, [job]);
});

test('deleting an organization deletes its changes in all partitions', async () => {
  await query('delete from identity.organizations where id = $1', [organization]);
  expect([await count('catalog.job_changes'), await count('catalog.organization_changes')]).toEqual([0, 0]);
});
