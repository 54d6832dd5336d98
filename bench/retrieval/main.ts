import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrate, openDatabase } from '../../platform/database/database.ts';
import { unitVector } from '../../platform/model/model-client.ts';
import { detached, type Scope } from '../../platform/scope/index.ts';
import { openServices, type Services } from '../../platform/subgraph/services.ts';
import { embed as embedOffline } from '../../start/offline-model/embeddings.ts';
import { startPostgres } from '../../start/servers/postgres.ts';
import { tables } from '../../start/subgraphs.ts';
import { fuse, searchWords } from '../../subgraphs/agent/retrieval/retrieve.ts';
import { searchVectors, vectorColumnOf } from '../../subgraphs/agent/retrieval/vectors.ts';
import { startVectorPostgres } from '../../tests/support/pgvector.ts';
import { randomOf, textOf } from './corpus.ts';
import { knowledge } from './questions.ts';

/** Measures recall and time of retrieval: `node start/bootstrap.mjs bench/retrieval/main.ts [--pgvector] [--sizes 1000,100000]`. */
const { pgvector, sizes } = parseArgs({
  options: { pgvector: { type: 'boolean', default: false }, sizes: { type: 'string', default: '1000,100000' } },
}).values;

const MODEL = 'offline';
const LIMIT = 50;
const WORDS = 120;
const vectorOf = (text: string) => unitVector(embedOffline({ input: text }).data[0]!.embedding as number[]);

await (pgvector ? withVectorServer(measure) : withServer(measure));

async function withServer(work: (url: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalog-graph-bench-'));
  const postgres = await startPostgres({ dataDir });
  await work(postgres.url).finally(() => postgres.stop());
  await rm(dataDir, { recursive: true, force: true });
}

async function withVectorServer(work: (url: string) => Promise<void>): Promise<void> {
  const server = await startVectorPostgres();
  await work(server.url).finally(() => server.stop());
}

async function measure(url: string): Promise<void> {
  const database = await openDatabase(url, tables);
  await migrate(database);
  const services = await openServices(database, { requireCredits: true, rateLimitPerMinute: 1_000_000 });
  try {
    const { type } = await vectorColumnOf(services);
    console.log(
      `| vectors | passages | recall at 5: words | vectors | hybrid | ms: words | vectors | first vectors |\n|---|---|---|---|---|---|---|---|`,
    );
    for (const size of sizes.split(',').map(Number)) console.log(await measureSize(services, type, size));
  } finally {
    await services.close();
  }
}

async function measureSize(services: Services, type: string, size: number): Promise<string> {
  const { scope, agentId } = await fill(services, size);
  const questions = knowledge.flatMap(([passage, ...asked]) => asked.map((question) => ({ passage, question })));
  const hits = { words: 0, vectors: 0, hybrid: 0 };
  const times = { words: [] as number[], vectors: [] as number[] };
  for (const { passage, question } of questions) {
    const vector = vectorOf(question);
    const start = performance.now();
    const words = await searchWords(scope, agentId, question, { limit: LIMIT, total: size });
    const between = performance.now();
    const vectors = await searchVectors(scope, { agentId, vector, model: MODEL, limit: LIMIT, total: size });
    times.words.push(between - start);
    times.vectors.push(performance.now() - between);
    const found = async (ids: string[]) => {
      const { rows } = await services.pool.query('select from agent.chunks where id = any($1) and text = $2', [
        ids.slice(0, 5),
        passage,
      ]);
      return rows.length;
    };
    hits.words += await found(words.map(({ id }) => id));
    hits.vectors += await found(vectors.map(({ id }) => id));
    hits.hybrid += await found(fuse(words, vectors).map(({ id }) => id));
  }
  const recall = (count: number) => (count / questions.length).toFixed(2);
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!.toFixed(1);
  const cells = [
    type,
    size,
    recall(hits.words),
    recall(hits.vectors),
    recall(hits.hybrid),
    median(times.words),
    median(times.vectors),
  ];
  return `| ${[...cells, times.vectors[0]!.toFixed(0)].join(' | ')} |`;
}

/** An agent with the knowledge among generated passages. */
async function fill(services: Services, size: number): Promise<{ scope: Scope; agentId: string }> {
  const { pool } = services;
  const [organizationId, agentId, sourceId] = [randomUUID(), randomUUID(), randomUUID()];
  await pool.query(
    `insert into identity.organizations (id, slug, name, plan, modules, credits) values ($1, $2, 'Bench', 'growth', '{}', 0)`,
    [organizationId, organizationId],
  );
  await pool.query(
    `insert into agent.agents (id, organization_id, name, slug, public_slug, model_type, system_prompt, welcome_message, placeholder,
       suggested_messages, temperature, theme, branding, allowed_origins, max_tokens_per_message, max_retrieval_tokens, public_access, voice_enabled)
     values ($1, $2, 'a', $3, $3, 'agent-chat-v1', '', '', '', '{}', 0, '{}', '{}', '{}', 1024, 4000, true, false)`,
    [agentId, organizationId, agentId],
  );
  await pool.query(
    `insert into agent.sources (id, organization_id, agent_id, type, name, status, refresh_interval, chunk_count, index_version)
     values ($1, $2, $3, 'text', 'Bench', 'ready', 'never', $4, 1)`,
    [sourceId, organizationId, agentId, size],
  );
  const { type, literal } = await vectorColumnOf(services);
  const random = randomOf(7);
  const texts = Array.from({ length: size }, (_, at) => knowledge[at]?.[0] ?? textOf(random, WORDS));
  // Building the index at the end is much faster than inserting into it.
  if (type === 'vector') await pool.query('drop index if exists agent.chunks_embedding');
  for (let from = 0; from < size; from += 500) {
    const part = texts.slice(from, from + 500);
    await pool.query(
      `insert into agent.chunks (id, organization_id, agent_id, source_id, position, headings, context, text, tokens, content_hash,
         embedding_model, embedding, last_seen_at)
       select gen_random_uuid(), $1, $2, $3, p, '{}', '', t, 200, p::text, $4, v::${type}, now()
         from unnest($5::int[], $6::text[], $7::text[]) as x (p, t, v)`,
      [organizationId, agentId, sourceId, MODEL, part.map((_, at) => from + at), part, part.map((text) => literal(vectorOf(text)))],
    );
  }
  if (type === 'vector') await buildIndex(services);
  await pool.query('vacuum analyze agent.chunks');
  return { scope: detached({ services, organizationId } as Scope), agentId };
}

async function buildIndex({ pool }: Services): Promise<void> {
  const client = await pool.connect();
  await client.query(`set statement_timeout = 0; set maintenance_work_mem = '512MB'`);
  await client.query('create index chunks_embedding on agent.chunks using hnsw (embedding vector_cosine_ops)');
  client.release(true);
}
