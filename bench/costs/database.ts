import pg from 'pg';
import { forgetEvidence } from '../../subgraphs/catalog/enrichment/sources.ts';
import type { Bench } from '../system.ts';
import type { DatabaseCosts } from './unit-costs.ts';

const [SESSIONS, SECONDS] = [16, 4];

const QUIET = 'insert into bench_commits default values';
const NOTIFYING = `with added as (insert into bench_commits default values returning id) select pg_notify('bench', id::text) from added`;

/** Rates of commits with and without a notification. PostgreSQL holds one lock per server from a notifying commit until its WAL is flushed. */
export async function measureDatabase({
  databaseUrl,
  organizations,
}: Pick<Bench, 'databaseUrl' | 'organizations'>): Promise<DatabaseCosts> {
  const organizationId = organizations.jobs!.id;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: SESSIONS });
  try {
    await pool.query('create table bench_commits (id bigint generated always as identity primary key)');
    const single = await rate(pool, QUIET, 1);
    const commitsPerSecond = await rate(pool, QUIET, SESSIONS);
    const notifyingPerSecond = await rate(pool, NOTIFYING, SESSIONS);
    await pool.query('drop table bench_commits');
    const sourceTextsPerSecond = await expiryRate(pool, organizationId);
    return { commitsPerSecond, notifyingPerSecond, commitMs: Math.round(100_000 / single) / 100, sourceTextsPerSecond };
  } finally {
    await pool.end();
  }
}

async function rate(pool: pg.Pool, statement: string, sessions: number): Promise<number> {
  const until = Date.now() + SECONDS * 1_000;
  let count = 0;
  const session = async () => {
    while (Date.now() < until) {
      await pool.query(statement);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: sessions }, session));
  return Math.round(count / SECONDS);
}

const TEXTS = 4_000;
const OLD_TEXTS = `
  insert into catalog.source_texts (organization_id, hash, text, used_at)
  select $1, 'old-' || n, repeat(md5(n::text), 300), now() - interval '100 days' from generate_series(1, ${TEXTS}) n`;

/** Source texts of 10 kB that the hourly sweep deletes in a second. */
async function expiryRate(pool: pg.Pool, organizationId: string): Promise<number> {
  await pool.query(OLD_TEXTS, [organizationId]);
  const start = performance.now();
  const deleted = await forgetEvidence(pool);
  return Math.round((deleted * 1_000) / (performance.now() - start));
}
