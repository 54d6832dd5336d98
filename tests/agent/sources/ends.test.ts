import { randomUUID } from 'node:crypto';
import { detached } from '../../../platform/scope/index.ts';
import type { IngestionScope } from '../../../subgraphs/agent/ingestion/source-state.ts';
import { failSource } from '../../../subgraphs/agent/ingestion/source-state.ts';
import { duringTransaction } from '../../support/rival.ts';
import { database } from '../../support/seed.ts';
import { CREATE, openAgents } from '../operations.ts';

const REFRESH = 'mutation ($id: ID!) { refreshSource(id: $id) { status } }';
const graph = await openAgents();
afterAll(() => graph.close());
const { pool } = graph.services;

/** A source of the status, and functions that act on it. */
async function sourceOf(status: string) {
  const { id: organizationId, key } = await graph.seed();
  const caller = graph.caller(key);
  const { createAgent } = await caller.ask(CREATE, { input: { name: 'Support' } });
  const id = randomUUID();
  await pool.query(
    `insert into agent.sources (id, organization_id, agent_id, type, name, text, status, refresh_interval)
     values ($1, $2, $3, 'text', 'Notes', 'Text', $4, 'never')`,
    [id, organizationId, createAgent.id, status],
  );
  const scope = { ...detached({ organizationId, services: graph.services }), perOrganization: 1 } as IngestionScope;
  return {
    id,
    fail: (hasBegun: boolean) => failSource(scope, id, 'No text', hasBegun),
    refresh: () => caller.ask(REFRESH, { id }),
    status: async () => (await pool.query('select status from agent.sources where id = $1', [id])).rows[0].status,
  };
}

test('a source that is refreshed after its failure stays queued when the step that failed it runs again', async () => {
  const { fail, refresh, status } = await sourceOf('embedding');
  await fail(true);
  expect(await status()).toBe('failed');
  await refresh();
  await fail(true);
  expect(await status()).toBe('queued');
});

test('a queued source whose run cannot begin fails', async () => {
  const { fail, status } = await sourceOf('queued');
  await fail(false);
  expect(await status()).toBe('failed');
});

test('a run that fails while its source is deleted waits for the deletion', async () => {
  const { id, fail } = await sourceOf('embedding');
  await pool.query(
    `insert into agent.staged_chunks (source_id, run, ordinal, part, headings, context, text, tokens, content_hash)
     values ($1, 1, 0, 0, '{}', '', 'Lamps', 1, 'h')`,
    [id],
  );
  await duringTransaction(
    (deletion) => deletion.query('delete from agent.staged_chunks where source_id = $1', [id]),
    () => fail(true),
    (deletion) => deletion.query('delete from agent.sources where id = $1', [id]),
    database(graph.url),
  );
  expect((await pool.query('select from agent.sources where id = $1', [id])).rows).toEqual([]);
});
