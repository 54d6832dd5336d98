import { randomUUID } from 'node:crypto';
import { detached, transaction } from '../../platform/scope/index.ts';
import { agent } from '../../subgraphs/agent/agent.ts';
import { removeAgent } from '../../subgraphs/agent/agents/removal.ts';
import { sweepConversations } from '../../subgraphs/agent/conversations/conversation-expiry.ts';
import { startNext } from '../../subgraphs/agent/ingestion/source-state.ts';
import { agentTables } from '../../subgraphs/agent/tables.ts';
import { duringTransaction } from '../support/rival.ts';
import { database } from '../support/seed.ts';
import { openSubgraph } from '../support/subgraph.ts';
import { CREATE, DELETE } from './operations.ts';

const graph = await openSubgraph(agent, agentTables, { allowHosts: ['127.0.0.1'] });
afterAll(() => graph.close());
const { pool } = graph.services;
const own = database(graph.url);
const during = <T>(...[change, request, last]: Parameters<typeof duringTransaction<T>>) =>
  duringTransaction(change, request, last, own);

const FIELD = { name: 'order', label: 'Order', type: 'text', required: false, options: [] };
const MARK = `update agent.agents set deleted_at = now(), slug = 'deleted ' || id where id = $1`;
const SOURCE = `insert into agent.sources (id, organization_id, agent_id, type, name, text, status, run, refresh_interval)
  values ($1, $2, $3, 'text', 'Notes', 'Text', $4, 1, 'never')`;
const SERVER = `insert into agent.mcp_servers (id, organization_id, agent_id, name, url, headers_template, timeout_ms, secret_names)
  values ($1, $2, $3, 'Shop', 'http://127.0.0.1/', '{}', 1000, '{}')`;
const CONVERSATION = `insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status, message_count)
  values ($1, $2, $3, 'V', 'widget', 'open', $4)`;
const TOOL = `insert into agent.tools (id, organization_id, agent_id, mcp_server_id, name, description, input_schema, endpoint_url, method,
    headers_template, query_template, response_mapping, enabled, timeout_ms, allowed_domains, secret_names)
  values ($1, $2, $3, $4, 'stock', '', '{}', 'http://127.0.0.1/', 'POST', '{}', '{}', '{}', true, 1000, '{}', '{}')`;

async function open() {
  const { id: organizationId, key } = await graph.seed();
  const caller = graph.caller(key);
  const create = async () => (await caller.ask(CREATE, { input: { name: 'Support' } })).createAgent.id as string;
  const agentId = await create();
  const insert = async (text: string, ...more: unknown[]) => {
    const id = randomUUID();
    await pool.query(text, [id, organizationId, agentId, ...more]);
    return id;
  };
  return {
    organizationId,
    agentId,
    caller,
    create,
    insert,
    remove: () => caller.ask(DELETE, { id: agentId }),
    count: async (table: string) => (await pool.query(`select from agent.${table} where agent_id = $1`, [agentId])).rows.length,
  };
}

test.each([
  ['createTool', 'NewTool', { name: 'stock', description: 'Stock', endpointUrl: 'http://127.0.0.1:9/', method: 'GET' }],
  ['createMcpServer', 'NewMcpServer', { name: 'Shop', url: 'http://127.0.0.1:9/' }],
  ['createCustomForm', 'NewCustomForm', { name: 'returns', title: 'Returns', fields: [FIELD], enabled: true }],
  ['createSource', 'NewSource', { type: 'text', name: 'Hours', text: 'We open at 9.' }],
])('%s adds nothing to an agent that is deleted at the same time', async (field, type, input) => {
  const { agentId, caller } = await open();
  const create = `mutation ($id: ID!, $input: ${type}!) { ${field}(agentId: $id, input: $input) { id } }`;
  const refusal = await during(
    (deletion) => deletion.query(MARK, [agentId]),
    () => caller.refusal(create, { id: agentId, input }),
  );
  expect(refusal).toBe('NOT_FOUND: Agent not found');
});

test('a tool that is added while its agent is deleted is deleted before the conversations', async () => {
  const acme = await open();
  const held = await acme.insert(CONVERSATION, 0);
  await during(
    (message) => message.query('select from agent.conversations where id = $1 for update', [held]),
    () =>
      during(
        async (addition) => {
          await addition.query('select from agent.agents where id = $1 for key share', [acme.agentId]);
          await addition.query(TOOL, [randomUUID(), acme.organizationId, acme.agentId, null]);
        },
        () => acme.remove(),
      ),
    async () => expect(await acme.count('tools')).toBe(0),
  );
});

test('an agent whose MCP server is changed at the same time is deleted', async () => {
  const acme = await open();
  const serverId = await acme.insert(SERVER);
  await acme.insert(TOOL, serverId);
  const deleted = await during(
    (change) => change.query(`update agent.mcp_servers set url = 'http://127.0.0.1/new' where id = $1`, [serverId]),
    () => acme.remove(),
    (change) => change.query(`update agent.tools set endpoint_url = 'http://127.0.0.1/new' where mcp_server_id = $1`, [serverId]),
  );
  expect(deleted).toEqual({ deleteAgent: { id: acme.agentId, deleted: true } });
});

test.each([
  ['source(id: $id) { id }', 'query'],
  ['refreshSource(id: $id) { id }', 'mutation'],
  ['updateSource(id: $id, input: { name: "New" }) { id }', 'mutation'],
])('%s finds no source of an agent that is being removed', async (field, kind) => {
  const { agentId, caller, insert } = await open();
  const id = await insert(SOURCE, 'ready');
  await pool.query(MARK, [agentId]);
  expect(await caller.refusal(`${kind} ($id: ID!) { ${field} }`, { id })).toBe('NOT_FOUND: Source not found');
});

test('a source that is refreshed while its agent is deleted stays as it is', async () => {
  const { agentId, caller, insert } = await open();
  const id = await insert(SOURCE, 'ready');
  const refusal = await during(
    (deletion) => deletion.query(MARK, [agentId]),
    () => caller.refusal('mutation ($id: ID!) { refreshSource(id: $id) { id } }', { id }),
  );
  expect(refusal).toBe('NOT_FOUND: Agent not found');
});

test('sources of an agent that is being removed leave their turn to others', async () => {
  const { organizationId, agentId, create, insert } = await open();
  await insert(SOURCE, 'embedding');
  const queued = await insert(SOURCE, 'queued');
  const next = randomUUID();
  await pool.query(SOURCE, [next, organizationId, await create(), 'queued']);
  await pool.query(MARK, [agentId]);
  await transaction(detached({ organizationId, services: graph.services }), (scope) => startNext(scope, 1));
  const { rows } = await pool.query(
    `select payload ->> 'sourceId' as id from identity.outbox where topic = 'source.start' and payload ->> 'sourceId' = any($1)`,
    [[queued, next]],
  );
  expect(rows).toEqual([{ id: next }]);
});

test('a conversation with many messages is removed alone, because a statement has a time limit', async () => {
  const acme = await open();
  await acme.insert(CONVERSATION, 0);
  const large = await acme.insert(CONVERSATION, 1_000_000);
  await acme.insert(CONVERSATION, 0);
  await pool.query(
    `insert into agent.messages (id, organization_id, conversation_id, position, role, status) values (gen_random_uuid(), $1, $2, 1, 'user', 'complete')`,
    [acme.organizationId, large],
  );
  await during(
    (rating) => rating.query('select from agent.messages where conversation_id = $1 for update', [large]),
    () => acme.remove(),
    async () => expect(await acme.count('conversations')).toBe(2),
  );
  expect(await acme.count('conversations')).toBe(0);
});

test('agents are removed while the deletion of old rows waits', async () => {
  const [acme, other] = [await open(), await open()];
  await pool.query(MARK, [acme.agentId]);
  await pool.query(`update agent.agents set deleted_at = now() - interval '1 minute' where id = $1`, [acme.agentId]);
  await pool.query('insert into agent.daily_credits (agent_id, day, credits) values ($1, current_date - 40, 1)', [other.agentId]);
  await during(
    (charge) => charge.query('select from agent.daily_credits where agent_id = $1 for update', [other.agentId]),
    () => sweepConversations(graph.services),
    async () => {
      const { rows } = await pool.query('select id from agent.agents where id = $1', [acme.agentId]);
      expect(rows).toEqual([]);
    },
  );
});

test('passages that are staged while their source is deleted count no longer', async () => {
  const { organizationId, caller, insert } = await open();
  const id = await insert(SOURCE, 'chunking');
  await during(
    async (ingestion) => {
      await ingestion.query(
        `insert into agent.staged_chunks (source_id, run, ordinal, part, headings, context, text, tokens, content_hash)
         values ($1, 1, 0, 0, '{}', '', 'Lamps', 1, 'h')`,
        [id],
      );
      await ingestion.query(`update agent.sources set status = 'embedding' where id = $1`, [id]);
    },
    () => caller.ask('mutation ($id: ID!) { deleteSource(id: $id) { id } }', { id }),
  );
  const { rows } = await pool.query(
    `select sum(bytes)::int as bytes from identity.stored_bytes where organization_id = $1 and list = 'agent.staged_chunks'`,
    [organizationId],
  );
  expect(rows).toEqual([{ bytes: 0 }]);
});

describe.each(['chunks', 'staged_chunks'])('while the %s of a source are written', (table) => {
  const columns = `headings, context, text, tokens, content_hash) values`;
  const CHUNK =
    table === 'chunks'
      ? `insert into agent.chunks (id, source_id, organization_id, agent_id, position, last_seen_at, ${columns}
           (gen_random_uuid(), $1, $2, $3, 0, now(), '{}', '', 'Lamps', 1, 'h')`
      : `insert into agent.staged_chunks (source_id, run, ordinal, part, ${columns} ($1, 1, 0, 0, '{}', '', 'Lamps', 1, 'h')`;

  /** Writes like an ingestion: the chunks, then the source. */
  const write = async (remove: (acme: Awaited<ReturnType<typeof open>>, sourceId: string) => Promise<unknown>) => {
    const acme = await open();
    const sourceId = await acme.insert(SOURCE, 'embedding');
    await pool.query(CHUNK, [sourceId, acme.organizationId, acme.agentId].slice(0, table === 'chunks' ? 3 : 1));
    const ended = await during(
      (ingestion) => ingestion.query(`delete from agent.${table} where source_id = $1`, [sourceId]),
      () => remove(acme, sourceId),
      (ingestion) => ingestion.query(`update agent.sources set status = 'ready' where id = $1`, [sourceId]),
    );
    expect(await acme.count('sources')).toBe(0);
    return { ended, sourceId };
  };

  test('it can be deleted', async () => {
    const { ended, sourceId } = await write(({ caller }, id) =>
      caller.ask('mutation ($id: ID!) { deleteSource(id: $id) { id deleted } }', { id }),
    );
    expect(ended).toEqual({ deleteSource: { id: sourceId, deleted: true } });
  });

  test('its agent can be removed', async () => {
    await write(async ({ agentId, organizationId }) => {
      await pool.query(MARK, [agentId]);
      await removeAgent(graph.services, { id: agentId, organizationId });
    });
  });
});
