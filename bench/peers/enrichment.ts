import { createHash, randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import pg from 'pg';
import { runProcess } from '../../start/process.ts';
import type { AttributeRequest } from '../../subgraphs/common/model/attribute.ts';
import { createModel } from '../../subgraphs/common/model/client.ts';
import { extractAttributes } from '../../subgraphs/common/model/extract.ts';
import * as statements from './enrichment-statements.ts';

interface Job {
  id: string;
  organizationId: string;
  attributes: AttributeRequest[];
}

const WINDOW = 20;
const { DATABASE_URL, OPENAI_BASE_URL } = process.env;
const tier = 'budget-v1';
const model = createModel({
  apiKey: 'none',
  baseUrl: OPENAI_BASE_URL,
  webSearch: 'off',
  models: { [tier]: 'bench', 'pro-v1': 'bench', 'agent-chat-v1': 'bench', 'agent-chat-pro-v1': 'bench' },
});
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: WINDOW });

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

/** What the engine does for one item, without the engine: take and pay, ask the model, write the result and count, in two transactions. */
async function enrich(job: Job, itemId: string): Promise<void> {
  const product = await transaction(async (run) => {
    const taken = await run(statements.take, [itemId, job.organizationId]);
    await run(statements.charge, [randomUUID(), job.organizationId, -1, `item:${itemId}`]);
    return taken.rows[0];
  });
  const { id, sources: texts, ...about } = product;
  const own = [about.name, about.brand, about.category].join('\n');
  const sources = [...texts, own].map((text, index) => ({ id: `s${index + 1}`, kind: 'text' as const, url: null, text }));
  const hashes = new Map(sources.map((source) => [source.id, createHash('sha256').update(source.text).digest('hex')]));
  const { values, model: answered } = await extractAttributes(model, { tier, attributes: job.attributes, product: about, sources });

  const at = new Date().toISOString();
  const found = job.attributes.map(({ id: attributeId, slug, name, type }) => {
    const { value, confidence, sourceId, quote } = values[slug]!;
    const origin = { confidence, sourceKind: 'text', sourceUrl: null, snippet: quote, contentHash: hashes.get(sourceId ?? '') };
    return {
      slug,
      data: { attributeId, attributeName: name, attributeType: type, value },
      provenance: { jobId: job.id, itemId, model: answered, ...origin, at },
    };
  });
  const data = JSON.stringify(Object.fromEntries(found.map((each) => [each.slug, each.data])));
  const provenance = JSON.stringify(Object.fromEntries(found.map((each) => [each.slug, each.provenance])));
  await transaction(async (run) => {
    await run(statements.complete, [itemId, job.organizationId, data, provenance]);
    await run(statements.merge, [id, job.organizationId, data, provenance]);
    await run(statements.history, [job.organizationId, id, itemId, data, provenance]);
    await run(statements.count, [job.id, itemId]);
  });
}

/** The same items as a job has them, a window at a time; the milliseconds from the first to the last. */
async function runLoop(organizationId: string, productIds: string[]): Promise<number> {
  const { rows: attributes } = await pool.query(statements.attributes, [organizationId]);
  const job = { id: randomUUID(), organizationId, attributes };
  await pool.query(statements.job, [job.id, organizationId, productIds.length]);
  const { rows: items } = await pool.query(statements.items, [job.id, organizationId, productIds]);

  const started = performance.now();
  const queue = items.values();
  const lane = async () => {
    for (const item of queue) await enrich(job, item.id);
  };
  await Promise.all(Array.from({ length: WINDOW }, lane));
  const { rows } = await pool.query(statements.finish, [job.id]);
  if (rows[0]?.done !== productIds.length) throw new Error(`${rows[0]?.done} of ${productIds.length} items were counted`);
  return performance.now() - started;
}

await runProcess('enrichment peer', async () => {
  const app = fastify({ bodyLimit: 10 * 1024 * 1024 });
  app.post<{ Body: { organizationId: string; productIds: string[] } }>('/run', async ({ body }) => ({
    ms: await runLoop(body.organizationId, body.productIds),
  }));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    addresses: { url },
    async close() {
      await app.close();
      await pool.end();
    },
  };
});
