import { randomUUID } from 'node:crypto';
import { migrate, openDatabase } from '../../../platform/database/database.ts';
import { createModel, DIMENSIONS, unitVector } from '../../../platform/model/model-client.ts';
import { createOutbound } from '../../../platform/outbound/outbound-client.ts';
import { detached, type Scope } from '../../../platform/scope/index.ts';
import { openServices, type Services } from '../../../platform/subgraph/services.ts';
import { startOfflineModel } from '../../../start/offline-model/offline-model.ts';
import { tables } from '../../../start/subgraphs.ts';
import { chunkSource, embedChunks } from '../../../subgraphs/agent/ingestion/ingestion-steps.ts';
import { publishChunks } from '../../../subgraphs/agent/ingestion/publish.ts';
import { beginSource, type IngestionScope } from '../../../subgraphs/agent/ingestion/source-state.ts';
import { retrieve } from '../../../subgraphs/agent/retrieval/retrieve.ts';
import { convertVectors } from '../../../subgraphs/agent/retrieval/vector-conversion.ts';
import { searchVectors, vectorColumnOf } from '../../../subgraphs/agent/retrieval/vectors.ts';
import { createDatabase } from '../../support/database.ts';
import { hasVectorPostgres, startVectorPostgres } from '../../support/pgvector.ts';
import { database, seedOrganization } from '../../support/seed.ts';
import { until } from '../../support/until.ts';

const offline = await startOfflineModel();
const models = { 'budget-v1': 'm', 'pro-v1': 'm', 'agent-chat-v1': 'm', 'agent-chat-pro-v1': 'm' };
const model = createModel({ apiKey: 'x', baseUrl: offline.url, webSearch: 'off', models, embedding: 'hashes' });
afterAll(() => offline.close());

/** Deterministic vectors around a few directions. */
function vectorOf(seed: number): Float32Array {
  let state = seed * 2_654_435_761 + 1;
  const next = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32 - 0.5;
  };
  return unitVector(Float32Array.from({ length: DIMENSIONS }, next));
}

const types = hasVectorPostgres('vectors with pgvector') ? (['vector', 'real[]'] as const) : (['real[]'] as const);

describe.each(types)('vectors in a column of type %s', (type) => {
  let services: Services;
  let url: string;
  let stop: (() => Promise<void>) | undefined;
  let scope: Scope;
  let agentId: string;
  beforeAll(async () => {
    const server = type === 'vector' ? await startVectorPostgres() : undefined;
    const own = server ? { url: server.url, drop: server.stop } : await createDatabase();
    url = own.url;
    const opened = await openDatabase(own.url, tables);
    await migrate(opened);
    services = await openServices(opened, { requireCredits: true, rateLimitPerMinute: 1_000_000, model });
    const { id: organizationId } = await seedOrganization({ databaseUrl: own.url });
    scope = detached({ services, organizationId } as Scope);
    agentId = await addAgent();
    stop = async () => {
      await services.close();
      await own.drop();
    };
  });
  afterAll(() => stop?.());

  const addAgent = async () => {
    const id = randomUUID();
    await services.pool.query(
      `insert into agent.agents (id, organization_id, name, slug, public_slug, model_type, system_prompt, welcome_message, placeholder,
         suggested_messages, temperature, theme, branding, allowed_origins, max_tokens_per_message, max_retrieval_tokens, public_access, voice_enabled)
       values ($1, $2, 'a', $3, $3, 'agent-chat-v1', '', '', '', '{}', 0, '{}', '{}', '{}', 1024, 4000, true, false)`,
      [id, scope.organizationId, id],
    );
    return id;
  };
  const addSource = async (owner: string, text: string | null = null) => {
    const id = randomUUID();
    await services.pool.query(
      `insert into agent.sources (id, organization_id, agent_id, type, name, status, refresh_interval, text)
       values ($1, $2, $3, 'text', 'Source', 'queued', 'never', $4)`,
      [id, scope.organizationId, owner, text],
    );
    return id;
  };
  /** Indexes passages with the given vectors, without a provider. */
  const addVectors = async (owner: string, count: number, firstSeed: number) => {
    const sourceId = await addSource(owner);
    const { type: cast, literal } = await vectorColumnOf(services);
    for (let from = 0; from < count; from += 500) {
      const seeds = Array.from({ length: Math.min(500, count - from) }, (_, at) => from + at);
      await services.pool.query(
        `insert into agent.chunks (id, organization_id, agent_id, source_id, position, headings, context, text, tokens, content_hash,
           embedding_model, embedding, last_seen_at)
         select gen_random_uuid(), $1, $2, $3, p, '{}', '', 'Passage ' || p, 2, p::text, 'hashes', v::${cast}, now()
           from unnest($4::int[], $5::text[]) as t (p, v)`,
        [scope.organizationId, owner, sourceId, seeds, seeds.map((seed) => literal(vectorOf(firstSeed + seed)))],
      );
    }
    await services.pool.query(`update agent.sources set status = 'ready', chunk_count = $2, index_version = 1 where id = $1`, [
      sourceId,
      count,
    ]);
    return sourceId;
  };
  const nearest = async (owner: string, vector: Float32Array, total: number) => {
    const hits = await searchVectors(scope, { agentId: owner, vector, model: 'hashes', limit: 5, total });
    const ids = hits.map(({ id }) => id);
    const { rows } = await services.pool.query('select id, position from agent.chunks where id = any($1)', [ids]);
    return hits.map(({ id, similarity }) => ({ position: rows.find((row) => row.id === id).position, similarity }));
  };

  test('the migration chooses the type by the extensions of the server', async () => {
    expect((await vectorColumnOf(services)).type).toBe(type);
    const { rows } = await services.pool.query(
      `select indexdef from pg_indexes where tablename = 'chunks' and indexdef like '%hnsw%'`,
    );
    expect(rows).toHaveLength(type === 'vector' ? 1 : 0);
  });

  test('a source is embedded, published and retrieved', async () => {
    const sourceId = await addSource(agentId, '# Warranty\n\nThree years on all tools.\n\n# Shipping\n\nFive days to Norway.');
    const outbound = createOutbound({ allowHosts: [] });
    const work: IngestionScope = { ...scope, model, outbound, crawl: { pages: 1, pauseMs: 0, timeMs: 60_000 }, perOrganization: 1 };
    expect(await beginSource(work, sourceId)).toEqual({ step: 'chunkSource' });
    expect(await chunkSource(work, sourceId)).toEqual({ step: 'embedChunks' });
    expect(await embedChunks(work, sourceId)).toEqual({ step: 'publishChunks' });
    expect(await publishChunks(work, sourceId)).toEqual({ step: 'done' });
    const [passage] = await retrieve(scope, agentId, 'waranty of tols', { maxTokens: 100 });
    expect(passage).toMatchObject({
      sourceId,
      sourceName: 'Source',
      type: 'text',
      headings: ['Warranty'],
      text: 'Three years on all tools.',
    });
    expect(await retrieve(scope, agentId, 'warranty', { maxTokens: 3 })).toEqual([]);
    // Completed steps have no effect when they run again.
    for (const step of [chunkSource, embedChunks, publishChunks]) expect(await step(work, sourceId)).toEqual({ step: 'done' });
    await outbound.close();
  });

  test('the nearest passages are exact, over several sources and blocks', async () => {
    const owner = await addAgent();
    // An array is read in blocks of 4,096; each insert into the index takes milliseconds.
    const [first, second] = type === 'vector' ? [300, 100] : [4_200, 100];
    await addVectors(owner, first, 0);
    await addVectors(owner, second, 1_000_000);
    const target = vectorOf(first - 10);
    const hits = await nearest(owner, target, first + second);
    expect(hits[0]).toEqual({ position: first - 10, similarity: expect.closeTo(1, 5) });
    const seeds = Array.from({ length: first + second }, (_, at) => (at < first ? at : 1_000_000 + at - first));
    const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, each, at) => sum + each * b[at]!, 0);
    const expected = seeds.map((seed) => dot(vectorOf(seed), target)).sort((a, b) => b - a);
    for (const [at, { similarity }] of hits.entries()) expect(similarity).toBeCloseTo(expected[at]!, 4);
    // A large agent uses the index, if there is one.
    expect((await nearest(owner, target, 1_000_000))[0]).toEqual(hits[0]);
  });

  test('a replaced or deleted index is never read again', async () => {
    const owner = await addAgent();
    const sourceId = await addVectors(owner, 20, 50);
    expect((await nearest(owner, vectorOf(60), 20))[0]!.position).toBe(10);
    await services.pool.query('delete from agent.chunks where source_id = $1 and position = 10', [sourceId]);
    await services.pool.query('update agent.sources set index_version = 2 where id = $1', [sourceId]);
    expect((await nearest(owner, vectorOf(60), 20)).map(({ position }) => position)).not.toContain(10);
    await services.pool.query('delete from agent.sources where id = $1', [sourceId]);
    expect(await nearest(owner, vectorOf(60), 0)).toEqual([]);
  });

  test('a question during a refresh is answered from one whole index', async () => {
    const owner = await addAgent();
    const sourceId = await addVectors(owner, 20, 50);
    const { statements } = services;
    let refreshes = 0;
    /** Replaces the index between the search of a question and the reading of its passages. */
    const run: typeof statements.run = async (statement, signal) => {
      if (statement.name === 'retrieval passages' && refreshes === 0) {
        refreshes += 1;
        await services.pool.query(
          `update agent.chunks set id = gen_random_uuid(), text = 'Renewed ' || position where source_id = $1`,
          [sourceId],
        );
        await services.pool.query('update agent.sources set index_version = index_version + 1 where id = $1', [sourceId]);
      }
      return statements.run(statement, signal);
    };
    const within = { ...scope, services: { ...services, statements: { ...statements, run } as typeof statements } };
    const passages = await retrieve(within, owner, 'passage 7', { maxTokens: 1_000 });
    expect([refreshes, passages.length]).toEqual([1, 20]);
    expect(passages.every(({ text }) => text.startsWith('Renewed'))).toBe(true);
  });

  test('vectors of another model or organization are not compared', async () => {
    const owner = await addAgent();
    await addVectors(owner, 3, 900);
    expect(await searchVectors(scope, { agentId: owner, vector: vectorOf(1), model: 'other', limit: 5, total: 3 })).toEqual([]);
    const stranger = { ...scope, organizationId: randomUUID() };
    expect(await searchVectors(stranger, { agentId: owner, vector: vectorOf(1), model: 'hashes', limit: 5, total: 3 })).toEqual([]);
  });

  if (type === 'real[]')
    test('a server without pgvector converts nothing', async () => {
      expect(await convertVectors(url)).toBe(false);
      expect((await vectorColumnOf(services)).type).toBe('real[]');
    });
  else
    test('vectors of a database that was migrated without pgvector are converted once, while it is in use', async () => {
      // Connections that know the old type must not stay.
      await database(url).query(`
        drop index agent.chunks_embedding;
        alter table agent.chunks alter column embedding type real[] using embedding::real[];
        alter table agent.staged_chunks alter column embedding type real[] using embedding::real[];
        drop extension vector;
        select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`);
      await until(async () => (await vectorColumnOf(services).catch(() => undefined))?.type === 'real[]');
      const owner = await addAgent();
      await addVectors(owner, 40, 7_000);
      const before = await nearest(owner, vectorOf(7_011), 40);
      const converting = [convertVectors(url), convertVectors(url), convertVectors(url, AbortSignal.abort())];
      await addVectors(owner, 5, 8_000).catch(() => addVectors(owner, 5, 8_000));
      expect((await Promise.all(converting)).filter(Boolean)).toHaveLength(1);
      await until(async () => (await vectorColumnOf(services)).type === 'vector');
      expect(await nearest(owner, vectorOf(7_011), 45)).toEqual(
        before.map(({ position, similarity }) => ({ position, similarity: expect.closeTo(similarity, 5) })),
      );
      const { rows } = await services.pool.query(
        'select count(*)::int from agent.chunks where agent_id = $1 and embedding is not null',
        [owner],
      );
      expect(rows[0].count).toBe(45);
      expect(await convertVectors(url)).toBe(false);
      const valid = `select indisvalid from pg_index where indexrelid = 'agent.chunks_embedding'::regclass`;
      expect((await services.pool.query(valid)).rows).toEqual([{ indisvalid: true }]);
    });

  test('without the provider, words alone find passages', async () => {
    const offlineScope = { ...scope, services: { ...services, model: undefined } };
    const [passage] = await retrieve(offlineScope, agentId, 'shipping to Norway', { maxTokens: 100 });
    expect(passage!.text).toBe('Five days to Norway.');
  });
});
