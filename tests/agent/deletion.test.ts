import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { sweepConversations } from '../../subgraphs/agent/conversations/conversation-expiry.ts';
import { caller } from '../support/client.ts';
import { duringTransaction } from '../support/rival.ts';
import { database } from '../support/seed.ts';
import { question, seedAgent, send, visitor } from './chat/chatting.ts';
import { requestPerson } from './handoff/handing-off.ts';
import { openInProcess } from './in-process.ts';

const url = process.env.TEST_URL!;
const { services, close } = await openInProcess();
afterAll(close);

const DELETE = 'mutation ($id: ID!) { deleteAgent(id: $id) { id deleted } }';
const LOCK = 'select from agent.conversations where id = $1 for update';

const open = async () => {
  const acme = await seedAgent(url, {}, { credits: 100, modules: ['helpdesk'] });
  const addConversation = async (): Promise<string> => {
    const id = randomUUID();
    await database().query(
      `insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status) values ($1, $2, $3, $4, 'admin', 'open')`,
      [id, acme.id, acme.agent.id, acme.owner.id],
    );
    return id;
  };
  return {
    ...acme,
    addConversation,
    remove: () => acme.admin.graphql(DELETE, { id: acme.agent.id }),
    count: async (table: string, column = 'agent_id') =>
      (await database().query(`select from agent.${table} where ${column} = $1`, [acme.agent.id])).rows.length,
  };
};

test('an agent whose deletion waits for a message is found nowhere, and delays no other message', async () => {
  const acme = await open();
  const { id, publicSlug } = acme.agent;
  const { createSource: source } = await acme.admin.graphql(
    'mutation ($id: ID!) { createSource(agentId: $id, input: { type: text, name: "Hours", text: "We open at 9." }) { id } }',
    { id },
  );
  const [held, other] = [await acme.addConversation(), await acme.addConversation()];
  const { get } = caller(acme.key);
  const api = `/api/${acme.slug}/agents`;
  const deleted = await duringTransaction(
    (message) => message.query(LOCK, [held]),
    () => acme.remove(),
    async () => {
      for (const conversationId of [other, undefined])
        expect((await acme.ask('Hello', { conversationId })).body).toEqual({ success: false, message: 'Agent not found' });
      expect((await send(acme.widgetPath, question('Hello'), visitor())).status).toBe(404);
      const read = await Promise.all(
        [`${api}/${id}`, `${api}/${id}/sources`, `/api/agents/${publicSlug}/config`].map((path) => get(path)),
      );
      expect(read.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect((await get(api)).body.data.agents).toEqual([]);
      expect((await get('/api/v1/agents')).body.agents).toEqual([]);
      expect(await acme.admin.refusal('query ($id: ID!) { source(id: $id) { agent { id } } }', source)).toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(await acme.admin.refusal(DELETE, { id })).toMatchObject({ code: 'NOT_FOUND' });
      const { createAgent: next } = await acme.admin.graphql('mutation { createAgent(input: { name: "Zoe" }) { slug } }');
      expect(next).toEqual({ slug: 'zoe' });
    },
  );
  expect(deleted).toEqual({ deleteAgent: { id, deleted: true } });
  expect([await acme.count('conversations'), await acme.count('sources'), await acme.count('agents', 'id')]).toEqual([0, 0, 0]);
});

test('the sweep finishes the deletion of a killed process', async () => {
  const acme = await open();
  const held = await acme.addConversation();
  await duringTransaction(
    (message) => message.query(LOCK, [held]),
    () => acme.remove(),
    async (message) => {
      const { pid } = (await message.query('select pg_backend_pid() as pid')).rows[0];
      await message.query('select pg_terminate_backend(pid) from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [pid]);
    },
  );
  expect(await acme.count('conversations')).toBe(1);
  await database().query(`update agent.agents set deleted_at = now() - interval '1 minute' where id = $1`, [acme.agent.id]);
  await sweepConversations(services);
  expect([await acme.count('conversations'), await acme.count('agents', 'id')]).toEqual([0, 0]);
});

test('an agent with more rows than a transaction removes is deleted completely', async () => {
  const acme = await open();
  const { id } = acme.agent;
  await database().query(
    `insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status)
     select gen_random_uuid(), $1, $2, 'V', 'widget', 'open' from generate_series(1, 1200)`,
    [acme.id, id],
  );
  await database().query(
    `insert into agent.tool_calls (id, organization_id, agent_id, tool_name, status)
     select gen_random_uuid(), $1, $2, 'search', 'succeeded' from generate_series(1, 1200)`,
    [acme.id, id],
  );
  await acme.remove();
  for (const table of ['conversations', 'tool_calls']) expect([table, await acme.count(table)]).toEqual([table, 0]);
  const { auditLog } = await acme.admin.graphql(
    'query ($id: ID!) { auditLog(subjectId: $id) { nodes { action actor subject } } }',
    { id },
  );
  expect(auditLog.nodes).toEqual([
    { action: 'deleted', actor: 'user', subject: 'agent' },
    { action: 'created', actor: 'user', subject: 'agent' },
  ]);
});

const deletions = [
  ['marked', `update agent.agents set deleted_at = now(), slug = 'deleted ' || id where id = $1`],
  ['removed', 'delete from agent.agents where id = $1'],
] as const;

describe.each(deletions)('while an agent is %s', (_, deletion) => {
  test.each([
    ['A first message', async (acme) => (await acme.ask('Hello')).body],
    ['A first message with a chat id', async (acme) => (await acme.ask('Hello', { id: 'chat-1' })).body],
    ['A request for a person', async (acme) => (await requestPerson(acme)).body],
  ] as [string, (acme: Awaited<ReturnType<typeof open>>) => Promise<unknown>][])(
    '%s gets the answer for an unknown agent',
    async (_, request) => {
      const acme = await open();
      const body = await duringTransaction(
        (rival: PoolClient) => rival.query(deletion, [acme.agent.id]),
        () => request(acme),
      );
      expect(JSON.stringify(body)).toContain('Agent not found');
    },
  );
});
