import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createModel } from '../../../platform/model/model-client.ts';
import type { Attribute, PlainKind } from './kind.ts';
import { brand, category } from './labels.ts';
import { page } from './pages.ts';
import { enrichment, market, validation } from './products.ts';
import * as statements from './statements.ts';

const kinds: Record<string, PlainKind<never>> = { enrichment, validation, market, page, brand, category };

const { DATABASE_URL, OPENAI_BASE_URL, SEARCH_URL } = process.env;
const model = createModel({
  apiKey: 'none',
  baseUrl: OPENAI_BASE_URL,
  webSearch: 'off',
  models: { 'budget-v1': 'bench', 'pro-v1': 'bench', 'agent-chat-v1': 'bench', 'agent-chat-pro-v1': 'bench' },
});
const outside = { model, searchUrl: SEARCH_URL! };
export const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20 });

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

export interface Work {
  kind: string;
  organizationId: string;
  /** Product ids, file ids or names. */
  given: string[];
}

/** A job without the job engine. */
export interface PlainJob {
  /** Maximum concurrent items. */
  window: number;
  itemIds: string[];
  /** The steps of the job engine for one item: start and charge, call the model, write the result and count, in two transactions. */
  complete(itemId: string): Promise<void>;
  /** Throws unless every item is complete. */
  finish(): Promise<void>;
}

/** Insert a job and its items. */
export async function createPlainJob({ kind: name, organizationId, given }: Work): Promise<PlainJob> {
  const kind = kinds[name]!;
  const { rows: attributes } = await pool.query<Attribute>(statements.attributes, [organizationId, kind.subject]);
  const jobId = randomUUID();
  await pool.query(statements.job, [jobId, organizationId]);
  const { rows: items } = await pool.query<{ id: string }>(kind.items, [jobId, organizationId, given]);
  return {
    window: kind.window,
    itemIds: items.map(({ id }) => id),
    async complete(id) {
      const taken = await transaction(async (run) => {
        const { rows } = await run(kind.take, [id, organizationId]);
        await run(statements.charge, [randomUUID(), organizationId, -1, `item:${id}`]);
        return rows[0] as never;
      });
      const writes = await kind.work(outside, { id, jobId, organizationId }, taken, attributes);
      await transaction(async (run) => {
        for (const [statement, ...values] of writes) await run(statement, values);
        await run(statements.count, [jobId, id]);
      });
    },
    async finish() {
      const { rows } = await pool.query(statements.finish, [jobId]);
      if (rows[0]?.done !== items.length) throw new Error(`${rows[0]?.done} of ${items.length} items were counted`);
    },
  };
}
