import { randomUUID } from 'node:crypto';
import { startChatProvider } from '../support/chat-provider.ts';
import { caller } from '../support/client.ts';
import { openGateway } from '../support/gateway.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { ORIGIN, question, seedAgent, send } from './chat/chatting.ts';

const provider = await startChatProvider();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url });
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url);
const member = caller((await acme.addMember('member')).key, { url: gateway.url });
const stranger = caller((await seedOrganization()).key, { url: gateway.url });
const say = (text: string, more: object = {}, headers: Record<string, string> = {}) =>
  send(acme.widgetPath, { ...question(text), ...more }, { origin: ORIGIN, ...headers });

const first = await say('Where is my 100% wool_coat?');
await say('And the hat?', { conversationId: first.conversationId }, { 'x-visitor-id': first.visitorId });
const later = await say('Hello ÅSA');

const LIST = `query ($search: String, $status: ConversationStatus, $agentId: ID, $channel: ConversationChannel, $limit: Int! = 20) {
  conversations(search: $search, status: $status, agentId: $agentId, channel: $channel, limit: $limit) {
    nodes { id agentId visitorId status summary messageCount createdAt lastMessageAt } pagination { total }
  }
}`;
const READ = `query ($id: ID!, $limit: Int! = 50) {
  conversation(id: $id) { id messageCount messages(limit: $limit) { nodes { position role text parts status credits } pagination { total } } }
}`;
const list = async (variables: object = {}) => (await member.graphql(LIST, { ...variables })).conversations;
const ids = async (variables: object) => (await list(variables)).nodes.map(({ id }: { id: string }) => id);

test('the newest conversation comes first, with its counters', async () => {
  const { nodes, pagination } = await list();
  expect(nodes.map(({ id }: { id: string }) => id)).toEqual([later.conversationId, first.conversationId]);
  expect(pagination.total).toBe(2);
  expect(nodes[1]).toEqual({
    id: first.conversationId,
    agentId: acme.agent.id,
    visitorId: first.visitorId,
    status: 'open',
    summary: null,
    messageCount: 4,
    createdAt: expect.any(String),
    lastMessageAt: expect.any(String),
  });
});

test('a search finds text in any case and takes wildcards literally', async () => {
  expect(await ids({ search: '100% WOOL_coat' })).toEqual([first.conversationId]);
  expect(await ids({ search: 'åsa' })).toEqual([later.conversationId]);
  expect(await ids({ search: '100_ wool' })).toEqual([]);
  expect(await ids({ agentId: acme.agent.id, channel: 'widget', search: 'hat' })).toEqual([first.conversationId]);
  expect(await ids({ channel: 'admin' })).toEqual([]);
  for (const agentId of [randomUUID(), 'no-id']) expect(await ids({ agentId })).toEqual([]);
});

test('a conversation is read with its messages, oldest first', async () => {
  const { conversation } = await member.graphql(READ, { id: first.conversationId, limit: 2 });
  expect(conversation.messages).toEqual({
    nodes: [
      {
        position: 1,
        role: 'user',
        text: 'Where is my 100% wool_coat?',
        parts: [{ type: 'text', text: 'Where is my 100% wool_coat?' }],
        status: 'complete',
        credits: 0,
      },
      {
        position: 2,
        role: 'assistant',
        text: 'Echo: Where is my 100% wool_coat?',
        parts: [{ type: 'step-start' }, { type: 'text', text: 'Echo: Where is my 100% wool_coat?' }],
        status: 'complete',
        credits: 1,
      },
    ],
    pagination: { total: 4 },
  });
});

test('a closed conversation is reopened by its visitor', async () => {
  const CLOSE = 'mutation ($id: ID!) { setConversationStatus(id: $id, status: closed) { status } }';
  expect((await member.graphql(CLOSE, { id: first.conversationId })).setConversationStatus.status).toBe('closed');
  expect(await ids({ status: 'closed' })).toEqual([first.conversationId]);
  await say('One more thing', { conversationId: first.conversationId }, { 'x-visitor-id': first.visitorId });
  expect(await ids({ status: 'closed' })).toEqual([]);
});

test('other organizations find nothing, and members cannot delete', async () => {
  const id = first.conversationId;
  expect((await stranger.graphql(LIST)).conversations.nodes).toEqual([]);
  const DELETE = 'mutation ($id: ID!) { deleteConversation(id: $id) { id deleted } }';
  const CLOSE = 'mutation ($id: ID!) { setConversationStatus(id: $id, status: closed) { id } }';
  for (const operation of [READ, DELETE, CLOSE]) {
    expect((await stranger.refusal(operation, { id })).code).toBe('NOT_FOUND');
    expect((await acme.admin.refusal(operation, { id: 'no-id' })).code).toBe('NOT_FOUND');
  }
  expect((await member.refusal(DELETE, { id })).code).toBe('FORBIDDEN');
});

test('a deleted conversation leaves nothing that was said, and its visitor starts anew', async () => {
  const gone = await say('My number is 555-0100');
  const DELETE = 'mutation ($id: ID!) { deleteConversation(id: $id) { id deleted } }';
  await database().query(
    `insert into agent.tool_calls (id, organization_id, agent_id, tool_name, conversation_id, status, request)
     values (gen_random_uuid(), $1, $2, 'look_up', $3, 'succeeded', '{"query": "555-0100"}')`,
    [acme.id, acme.agent.id, gone.conversationId],
  );
  const { deleteConversation } = await acme.admin.graphql(DELETE, { id: gone.conversationId });
  expect(deleteConversation).toEqual({ id: gone.conversationId, deleted: true });
  const { rows } = await database().query(
    `select 1 from agent.messages where text like '%555-0100%'
     union all select 1 from agent.reply_parts where parts::text like '%555-0100%'
     union all select 1 from agent.tool_calls where request::text like '%555-0100%'`,
  );
  expect(rows).toEqual([]);
  const next = await say('Hello', { conversationId: gone.conversationId }, { 'x-visitor-id': gone.visitorId });
  expect(next.status).toBe(404);
});

test('conversations are deleted after the retention of their agent, others stay', async () => {
  const short = await seedAgent(gateway.url, { retentionDays: 7 });
  const [old, fresh] = [
    await send(short.widgetPath, question('old'), { origin: ORIGIN }),
    await send(short.widgetPath, question('fresh'), { origin: ORIGIN }),
  ];
  const age = `update agent.conversations set last_message_at = now() - interval '8 days' where id = any($1)`;
  await database().query(age, [[old.conversationId, later.conversationId]]);
  const left = async () =>
    (await database().query('select id from agent.conversations where organization_id = any($1)', [[short.id, acme.id]])).rows.map(
      ({ id }) => id,
    );
  await until(async () => !(await left()).includes(old.conversationId));
  expect(await left()).toEqual(expect.arrayContaining([fresh.conversationId, later.conversationId, first.conversationId]));
});
