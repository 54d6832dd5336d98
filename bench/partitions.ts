import pg from 'pg';
import { aligned } from './report.ts';
import { spread } from './rounds.ts';

/**
 * Compares the log of jobs as one table with the same in weekly partitions: inserts, reads and the deletion of a week. Run it with the
 * address of a scratch database in `DATABASE_URL` and the number of rows.
 */
const rows = Number(process.argv[2] ?? 1_000_000);
const [WEEKS, READS, BATCH] = [6, 500, 1_000];
const perJob = 200;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
const columns = `job_id uuid not null, sequence bigint not null, status text not null, processed_count integer not null,
  success_count integer not null, failed_count integer not null, item_ids uuid[] not null default '{}', at timestamptz not null default clock_timestamp()`;
const weeks = Array.from(
  { length: WEEKS },
  (_, week) => `create table bench_parts_${week} partition of bench_parts
  for values from (now()::date - interval '${7 * (WEEKS - week)} days') to (now()::date - interval '${7 * (WEEKS - week - 1)} days');`,
);
await pool.query(`
  drop table if exists bench_plain, bench_parts;
  create table bench_plain (${columns}, primary key (job_id, sequence));
  create index bench_plain_age on bench_plain (at);
  create table bench_parts (${columns}, primary key (job_id, sequence, at)) partition by range (at);
  ${weeks.join('\n')}`);

/** Changes of jobs that run one after the other over all weeks. */
const fill = (table: string) => `
  insert into ${table} (job_id, sequence, status, processed_count, success_count, failed_count, item_ids, at)
  select md5((n / ${perJob})::text)::uuid, n % ${perJob} + 1, 'processing', n % ${perJob}, n % ${perJob}, 0, array[md5(n::text)::uuid],
         now()::date - interval '${7 * WEEKS} days' + n * interval '${7 * WEEKS} days' / ${rows} from generate_series(0, ${rows - 1}) n`;
const EXPIRED = `
  delete from bench_plain where (job_id, sequence) in (
    select job_id, sequence from bench_plain where at < now()::date - interval '${7 * (WEEKS - 1)} days' order by at limit ${BATCH})`;
const read = (table: string) => ({
  name: `read ${table}`,
  text: `select * from ${table} where job_id = $1 and sequence > $2 order by sequence limit 500`,
});

const result = [['', 'one table', 'partitions']];
const both = async (name: string, measure: (table: 'bench_plain' | 'bench_parts') => Promise<string>) =>
  result.push([name, await measure('bench_plain'), await measure('bench_parts')]);

await both('inserts, rows/s', async (table) => {
  const { ms, wal } = await timed(async () => pool.query(fill(table)));
  return `${Math.round((rows * 1_000) / ms)} (${Math.round(wal / rows)} bytes of WAL a row)`;
});
await pool.query('vacuum analyze bench_plain; ').then(() => pool.query('vacuum analyze bench_parts'));
await both('size, bytes a row', async (table) => {
  const { rows: found } = await pool.query(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class where relname ~ '^${table}' and relkind = 'r'`,
  );
  return String(Math.round(found[0].bytes / rows));
});
await both('changes of a job, median ms', async (table) => {
  const times: number[] = [];
  for (let at = 0; at < READS; at += 1) {
    const { rows: ids } = await pool.query('select md5($1::text)::uuid as id', [Math.floor((at * rows) / perJob / READS)]);
    times.push((await timed(() => pool.query({ ...read(table), values: [ids[0].id, perJob / 2] }))).ms);
  }
  return spread(times).median.toFixed(2);
});
await both('expiry of a week, ms', async (table) => {
  const { ms, wal } = await timed(async () => {
    if (table === 'bench_parts') return void (await pool.query('drop table bench_parts_0'));
    while ((await pool.query(EXPIRED)).rowCount);
    await pool.query('vacuum bench_plain');
  });
  return `${Math.round(ms)} (${Math.round(wal / 1e6)} MB of WAL)`;
});
await pool.query('drop table bench_plain, bench_parts');
process.stdout.write(`${rows.toLocaleString('en')} rows in ${WEEKS} weeks\n${aligned(result)}\n`);
await pool.end();

async function timed(work: () => Promise<unknown>): Promise<{ ms: number; wal: number }> {
  const position = async () => Number((await pool.query(`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as at`)).rows[0].at);
  const before = await position();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  return { ms, wal: (await position()) - before };
}
