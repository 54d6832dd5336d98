import { randomUUID } from 'node:crypto';
import { detached } from '../../../platform/scope/index.ts';
import { chunkSource } from '../../../subgraphs/agent/ingestion/ingestion-steps.ts';
import type { IngestionScope } from '../../../subgraphs/agent/ingestion/source-state.ts';
import { duringTransaction } from '../../support/rival.ts';
import { database } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { CREATE, openAgents } from '../operations.ts';

const graph = await openAgents();
afterAll(() => graph.close());
const { pool } = graph.services;

/** A source whose text is to be split, and attempts to do so. */
async function seedSource() {
  const { id: organizationId, key } = await graph.seed();
  const caller = graph.caller(key);
  const { createAgent } = await caller.ask(CREATE, { input: { name: 'Support' } });
  const sourceId = randomUUID();
  await pool.query(
    `insert into agent.sources (id, organization_id, agent_id, type, name, text, status, run, refresh_interval)
     values ($1, $2, $3, 'text', 'Notes', 'Lamps have three colors.', 'chunking', 1, 'never')`,
    [sourceId, organizationId, createAgent.id],
  );
  const attempt = () =>
    ({ ...detached({ organizationId, services: graph.services }), model: { embedding: 'm' } }) as IngestionScope;
  return { sourceId, attempt, caller };
}

test('a source can be edited while its chunks are stored', async () => {
  const { sourceId, attempt, caller } = await seedSource();
  await pool.query(
    `insert into agent.staged_chunks (source_id, run, ordinal, part, headings, context, text, tokens, content_hash)
     values ($1, 1, 0, 0, '{}', '', 'Lamps', 1, 'h')`,
    [sourceId],
  );
  const rename = 'mutation ($id: ID!) { updateSource(id: $id, input: { name: "Lamps" }) { name } }';
  const next = await duringTransaction(
    (rival) => rival.query('select from agent.staged_chunks where source_id = $1 for update', [sourceId]),
    () => chunkSource(attempt(), sourceId),
    async () => expect(await caller.ask(rename, { id: sourceId })).toEqual({ updateSource: { name: 'Lamps' } }),
    database(graph.url),
  );
  expect(next).toEqual({ step: 'embedChunks' });
});

test('an attempt that another one has overtaken keeps the chunks that were embedded since', async () => {
  const { sourceId, attempt } = await seedSource();
  // Stops between its reads and its transaction.
  const late = attempt();
  const { promise: overtaken, resolve: proceed } = Promise.withResolvers<void>();
  const transactional = late.em.transactional.bind(late.em);
  let hasRead = false;
  late.em.transactional = async (...args) => {
    hasRead = true;
    await overtaken;
    return transactional(...args);
  };
  const lateStep = chunkSource(late, sourceId);
  await until(() => hasRead);

  expect(await chunkSource(attempt(), sourceId)).toEqual({ step: 'embedChunks' });
  await pool.query(`update agent.staged_chunks set embedding_model = 'm' where source_id = $1`, [sourceId]);
  proceed();
  expect(await lateStep).toEqual({ step: 'embedChunks' });
  const { rows } = await pool.query('select embedding_model as model from agent.staged_chunks where source_id = $1', [sourceId]);
  expect(rows).toEqual([{ model: 'm' }]);
});
