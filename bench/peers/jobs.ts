import { randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import pg from 'pg';
import { runProcess } from '../../start/process.ts';
import { createModel } from '../../subgraphs/common/model/client.ts';
import type { Attribute, Item, PlainKind } from './jobs/kind.ts';
import { brand, category } from './jobs/labels.ts';
import { page } from './jobs/pages.ts';
import { enrichment, market, validation } from './jobs/products.ts';
import * as statements from './jobs/statements.ts';
import { servePeer } from './serve-peer.ts';

const kinds: Record<string, PlainKind<never>> = { enrichment, validation, market, page, brand, category };

const { DATABASE_URL, OPENAI_BASE_URL, SEARCH_URL } = process.env;
const model = createModel({
  apiKey: 'none',
  baseUrl: OPENAI_BASE_URL,
  webSearch: 'off',
  models: { 'budget-v1': 'bench', 'pro-v1': 'bench', 'agent-chat-v1': 'bench', 'agent-chat-pro-v1': 'bench' },
});
const outside = { model, searchUrl: SEARCH_URL! };
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20 });

type Run = (statement: statements.Statement, values: unknown[]) => Promise<pg.QueryResult>;

async function transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work((statement, values) => client.query({ ...statement, values }));
    await client.query('commit');
    return result;
  } finally {
    client.release();
  }
}

/** The steps of the job engine for one item: start and charge, call the model, write the result and count, in two transactions. */
async function complete(kind: PlainKind<never>, item: Item, attributes: Attribute[]): Promise<void> {
  const { id, jobId, organizationId } = item;
  const taken = await transaction(async (run) => {
    const { rows } = await run(kind.take, [id, organizationId]);
    await run(statements.charge, [randomUUID(), organizationId, -1, `item:${id}`]);
    return rows[0] as never;
  });
  const writes = await kind.work(outside, item, taken, attributes);
  await transaction(async (run) => {
    for (const [statement, ...values] of writes) await run(statement, values);
    await run(statements.count, [jobId, id]);
  });
}

interface Job {
  kind: string;
  organizationId: string;
  /** Product ids, file ids or names. */
  given: string[];
}

/** Process the items of a job with a concurrency window. Returns the duration in milliseconds. */
async function runLoop({ kind: name, organizationId, given }: Job): Promise<number> {
  const kind = kinds[name]!;
  const { rows: attributes } = await pool.query<Attribute>(statements.attributes, [organizationId, kind.subject]);
  const jobId = randomUUID();
  await pool.query(statements.job, [jobId, organizationId]);
  const { rows: items } = await pool.query<{ id: string }>(kind.items, [jobId, organizationId, given]);

  const started = performance.now();
  const queue = items.values();
  const lane = async () => {
    for (const { id } of queue) await complete(kind, { id, jobId, organizationId }, attributes);
  };
  await Promise.all(Array.from({ length: kind.window }, lane));
  const { rows } = await pool.query(statements.finish, [jobId]);
  if (rows[0]?.done !== items.length) throw new Error(`${rows[0]?.done} of ${items.length} items were counted`);
  return performance.now() - started;
}

await runProcess('jobs peer', async () => {
  const app = fastify({ bodyLimit: 10 * 1024 * 1024 });
  app.post<{ Body: Job }>('/run', async ({ body }) => ({ ms: await runLoop(body) }));
  return servePeer(app, pool);
});
