import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { keepAlive } from '../../../platform/database/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { COLUMN_CHANNEL } from './vectors.ts';

const TABLES = ['agent.chunks', 'agent.staged_chunks'];
/** Pages of a table per transaction. */
const BATCH = 64;
/** Milliseconds to wait for the table lock, so that queries do not pile up behind it; and between attempts. */
const [LOCK_WAIT, LOCK_RETRY] = [2_000, 1_000];

const CONNECT_TIMEOUT = 10_000;

const CREATE_EXTENSION = `
  do $$ begin
    create extension if not exists vector;
  exception when feature_not_supported or undefined_file or insufficient_privilege then null;
  end $$`;
const STATE = `
  select exists (select from pg_am where amname = 'hnsw') as "hasIndex",
         exists (select from pg_attribute where attrelid = 'agent.chunks'::regclass and attname = 'embedding'
                    and atttypid = 'real[]'::regtype) as "isArray"`;

/** New and changed rows get both columns, also those of processes that do not know the new one. */
const prepare = (table: string) => `
  alter table ${table} add column if not exists new_embedding vector(512);
  create or replace function agent.convert_embedding() returns trigger language plpgsql as
    $$ begin new.new_embedding := new.embedding::vector(512); return new; end $$;
  create or replace trigger convert_embedding before insert or update of embedding on ${table}
    for each row execute function agent.convert_embedding();`;

const PAGES = `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as pages`;

/** The rows in a range of pages. Updated rows move to other pages, so a last pass takes all that are left. */
const convert = (table: string, range = '') => `
  update ${table} set new_embedding = embedding::vector(512) where embedding is not null and new_embedding is null ${range}`;

/** One message is one transaction, so a failed attempt changes nothing. */
const SWAP = `
  lock table ${TABLES.join(', ')} in access exclusive mode;
  ${TABLES.map((table) => `drop trigger convert_embedding on ${table}; alter table ${table} drop column embedding; alter table ${table} rename column new_embedding to embedding;`).join('\n')}
  drop function agent.convert_embedding();
  select pg_notify('${COLUMN_CHANNEL}', '');`;

/**
 * Convert the vectors of a database that was migrated without pgvector, once the server has it. Other processes keep reading and
 * writing meanwhile. An interrupted conversion continues with the next call. Returns whether it converted the columns.
 */
export async function convertVectors(url: string, signal?: AbortSignal): Promise<boolean> {
  // Its own connection, because the index takes longer than the statements of the pool may.
  const client = new pg.Client({
    ...{ connectionString: url, application_name: 'vector conversion' },
    ...{ ...keepAlive, connectionTimeoutMillis: CONNECT_TIMEOUT },
  });
  client.on('error', (err) => log.warn({ err }, 'Lost the connection that converts vectors'));
  const abort = () => void client.end().catch(() => {});
  await client.connect();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.throwIfAborted();
    const { rows: locks } = await client.query(`select pg_try_advisory_lock(hashtext('vector conversion')) as "isOurs"`);
    if (!locks[0].isOurs) return false;
    if (!(await readState(client)).isArray) return false;
    await client.query(CREATE_EXTENSION);
    if (!(await readState(client)).hasIndex) return false;
    await convertColumns(client);
    return true;
  } catch (error) {
    if (signal?.aborted) return false;
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    await client.end().catch(() => {});
  }
}

const readState = async (client: pg.Client) => (await client.query<{ hasIndex: boolean; isArray: boolean }>(STATE)).rows[0]!;

async function convertColumns(client: pg.Client): Promise<void> {
  log.info('Converting the vectors of knowledge sources to the type of pgvector');
  await client.query(`set lock_timeout = ${LOCK_WAIT}`);
  for (const table of TABLES) await retryLocks(() => client.query(prepare(table)));
  for (const table of TABLES) {
    const { rows } = await client.query<{ pages: number }>(PAGES, [table]);
    for (let page = 0; page < rows[0]!.pages; page += BATCH)
      await client.query(convert(table, `and ctid >= '(${page},0)'::tid and ctid < '(${page + BATCH},0)'::tid`));
    await client.query(convert(table));
  }
  // An interrupted build leaves an invalid index.
  await client.query('drop index if exists agent.chunks_embedding');
  await client.query('set lock_timeout = 0');
  await client.query('create index concurrently chunks_embedding on agent.chunks using hnsw (new_embedding vector_cosine_ops)');
  await client.query(`set lock_timeout = ${LOCK_WAIT}`);
  await retryLocks(() => client.query(SWAP));
  log.info('Converted the vectors of knowledge sources');
}

const LOCK_NOT_AVAILABLE = '55P03';

async function retryLocks(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      await sleep(LOCK_RETRY);
    }
  }
}
