import { secretName } from '../../platform/webhooks/delivery-attempt.ts';
import { emitCalls } from '../../subgraphs/agent/tool-calls/service.ts';
import { ORIGIN, question, seedAgent, send, visitor } from '../agent/chat/chatting.ts';
import { closeOffice, requestPerson, TAKE_OVER } from '../agent/handoff/handing-off.ts';
import { openInProcess } from '../agent/in-process.ts';
import { startToolReceiver } from '../agent/tools/receiver.ts';
import { startChatProvider } from '../support/chat-provider.ts';
import { bodiesOf } from '../support/deliveries.ts';
import { openGateway } from '../support/gateway.ts';
import { database } from '../support/seed.ts';

const provider = await startChatProvider();
const receiver = await startToolReceiver();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });
const own = await openInProcess();
afterAll(async () => {
  await gateway.stop();
  await Promise.all([provider.close(), receiver.close()]);
});

const SUBSCRIBE = `mutation ($input: NewEventSubscriptions!) {
  made: createEventSubscriptions(input: $input) { subscriptions { id event source agentId status } secret }
}`;
const ALL = ['conversation.started', 'conversation.closed', 'handoff.requested', 'message.rated_down', 'tool.called'];
const targetUrl = 'https://hooks.example.com/agents';

type Seeded = Awaited<ReturnType<typeof seedAgent>>;
const open = () => seedAgent(gateway.url, {}, { plan: 'growth', modules: ['helpdesk'] });
const subscribe = async ({ admin }: Seeded, input: object = {}) =>
  (await admin.graphql(SUBSCRIBE, { input: { events: ALL, targetUrl, ...input } })).made;
/** The events of an organization in their order, each in the documented shape. */
const eventsOf = async ({ id }: Seeded) =>
  (await bodiesOf(database(), 'd.organization_id = $1', [id])).map(({ event, data }) => [event, data]);
const namesOf = async (acme: Seeded) => (await eventsOf(acme)).map(([event]) => event);
const chat = (acme: Seeded, text: string, headers: object = {}, more: object = {}) =>
  send(acme.widgetPath, { ...question(text), ...more }, visitor({ ...headers }));
const rate = (acme: Seeded, messageId: string, rating: string, visitorId: string) =>
  fetch(acme.widgetPath.replace(/chat$/, `messages/${messageId}/rating`), {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN, 'x-visitor-id': visitorId },
    body: JSON.stringify({ rating, comment: 'My name is Ada.' }),
  });

test('a conversation, its handoff and its end are events, each once and without words of the visitor', async () => {
  const acme = await open();
  await subscribe(acme);
  const { conversationId, visitorId } = await chat(acme, 'Where is my order?');
  await chat(acme, 'And when?', { 'x-visitor-id': visitorId }, { conversationId });
  await acme.ask('A chat of the team');
  const { body: handoff } = await requestPerson(acme, { conversationId, reason: 'I am Ada.' }, visitorId);
  await requestPerson(acme, { conversationId }, visitorId);
  await acme.admin.graphql('mutation ($id: ID!) { closeHandoff(id: $id) { status } }', { id: handoff.id });
  const SET = 'mutation ($id: ID!, $status: ConversationStatus!) { setConversationStatus(id: $id, status: $status) { status } }';
  for (const status of ['closed', 'open', 'closed', 'closed']) await acme.admin.graphql(SET, { id: conversationId, status });
  const agent = { agentId: acme.agent.id, agentName: 'Zoe' };
  const time = expect.stringMatching(/Z$/);
  const closed = { id: conversationId, ...agent, messageCount: 4, createdAt: time, closedAt: time };
  expect(await eventsOf(acme)).toEqual([
    ['conversation.started', { id: conversationId, ...agent, createdAt: time }],
    ['handoff.requested', { id: handoff.id, conversationId, ...agent, requestedBy: 'visitor', awayUntil: null, createdAt: time }],
    ['conversation.closed', closed],
    ['conversation.closed', closed],
  ]);
});

test('a conversation that one request tags and closes is closed once', async () => {
  const acme = await open();
  await subscribe(acme, { events: ['conversation.closed'] });
  const { conversationId, visitorId } = await chat(acme, 'Hello');
  await requestPerson(acme, { conversationId }, visitorId);
  await acme.admin.graphql(
    `mutation ($id: ID!) {
      setConversationTags(id: $id, tags: ["order"]) { id }
      setConversationStatus(id: $id, status: closed) { status }
    }`,
    { id: conversationId },
  );
  expect(await namesOf(acme)).toEqual(['conversation.closed']);
});

test('a request for a person that begins a conversation, or comes outside of office hours, says so', async () => {
  const acme = await open();
  await subscribe(acme);
  const { opensAt } = await closeOffice(acme, 'Back soon.');
  const { body } = await requestPerson(acme);
  expect(await eventsOf(acme)).toEqual([
    ['conversation.started', expect.objectContaining({ id: body.conversationId })],
    ['handoff.requested', expect.objectContaining({ conversationId: body.conversationId, awayUntil: opensAt.toISOString() })],
  ]);
});

test('a member who takes a conversation over requests no handoff', async () => {
  const acme = await open();
  await subscribe(acme);
  const { conversationId } = await chat(acme, 'Hello');
  await acme.admin.graphql(TAKE_OVER, { id: conversationId });
  expect(await namesOf(acme)).toEqual(['conversation.started']);
});

test('a bad rating is one event for a reply, also if the visitor rates it again and again', async () => {
  const acme = await open();
  await subscribe(acme);
  const { parts, conversationId, visitorId } = await chat(acme, 'Hello');
  const { messageId } = parts[0]!;
  for (const rating of ['up', 'down', 'up', 'down', 'down'])
    expect((await rate(acme, messageId, rating, visitorId)).status).toBe(200);
  expect((await eventsOf(acme)).slice(1)).toEqual([
    [
      'message.rated_down',
      { id: messageId, conversationId, agentId: acme.agent.id, agentName: 'Zoe', version: 1, ratedAt: expect.any(String) },
    ],
  ]);
});

const addTool = (acme: Seeded) =>
  acme.admin.post(`/api/${acme.slug}/agents/${acme.agent.id}/tools`, {
    name: 'order_status',
    description: 'Looks it up.',
    method: 'GET',
    endpointUrl: `${receiver.url}/orders/{{params.id}}`,
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  });
provider.on('order', (response, { messages }) => {
  if (messages.at(-1)!.role === 'tool') response.text('It has shipped.').finish();
  else response.call(0, 'c1', 'order_status', '{"id": "1"}').call(1, 'c2', 'order_status', '{"id": "2"}').finish('tool_calls');
});

test('calls of tools are one event for a minute, without their parameters, and only those for visitors', async () => {
  const acme = await open();
  await addTool(acme);
  await subscribe(acme, { events: ['tool.called'] });
  const { conversationId } = await chat(acme, 'order 1 and 2');
  await acme.ask('order of the team');
  expect(await namesOf(acme)).toEqual([]);
  // Sweeps of several processes.
  await Promise.all([emitCalls(own.services), emitCalls(own.services)]);
  await emitCalls(own.services);
  const call = {
    ...{ id: expect.any(String), toolId: expect.any(String), toolName: 'order_status', conversationId, status: 'succeeded' },
    ...{ responseStatus: 200, durationMs: expect.any(Number), createdAt: expect.any(String) },
  };
  expect(await eventsOf(acme)).toEqual([['tool.called', { agentId: acme.agent.id, agentName: 'Zoe', calls: [call, call] }]]);
});

test('a flood of calls becomes events of up to 100 calls', async () => {
  const acme = await open();
  await addTool(acme);
  await subscribe(acme, { events: ['tool.called'] });
  await database().query(
    `insert into agent.tool_calls (id, organization_id, agent_id, tool_id, tool_name, conversation_id, status, duration_ms, to_report)
     select gen_random_uuid(), $1, $2, gen_random_uuid(), 'order_status', gen_random_uuid(), 'failed', 5, true from generate_series(1, 250)`,
    [acme.id, acme.agent.id],
  );
  await emitCalls(own.services);
  const sizes = (await eventsOf(acme)).map(([, data]) => data.calls.length);
  expect(sizes).toEqual([100, 100, 50]);
});

test('without a subscription, no call is to be reported', async () => {
  const acme = await open();
  await addTool(acme);
  await chat(acme, 'order 1 and 2');
  const { rows } = await database().query('select to_report from agent.tool_calls where organization_id = $1', [acme.id]);
  expect(rows).toEqual([{ to_report: false }, { to_report: false }]);
});

test('events reach only the organization and the agent of a subscription', async () => {
  const [acme, other] = [await open(), await open()];
  await subscribe(acme);
  const { createAgent: second } = await acme.admin.graphql('mutation { createAgent(input: { name: "Max" }) { id } }');
  await subscribe(other, { events: ['conversation.closed'] });
  await chat(other, 'Hello');
  expect(await namesOf(acme)).toEqual([]);
  expect(await acme.admin.refusal(SUBSCRIBE, { input: { events: ALL, targetUrl, agentId: other.agent.id } })).toMatchObject({
    code: 'NOT_FOUND',
  });
  const bound = await open();
  await subscribe(bound, { agentId: bound.agent.id });
  await chat(bound, 'Hello');
  expect(await namesOf(bound)).toEqual(['conversation.started']);
  await subscribe(acme, { targetUrl: 'https://hooks.example.com/max', agentId: second.id });
  await chat(acme, 'Hello');
  expect(await namesOf(acme)).toEqual(['conversation.started']);
});

test('one request subscribes a URL to several events with one secret, which later events of the URL share', async () => {
  const acme = await open();
  const { subscriptions, secret } = await subscribe(acme, { events: ['tool.called', 'lead.created', 'tool.called'] });
  expect(subscriptions.map(({ event }: { event: string }) => event)).toEqual(['tool.called', 'lead.created']);
  expect(secret).toMatch(/^whsec_/);
  const more = await subscribe(acme, { events: ['ticket.created', 'lead.created'] });
  expect(more.secret).toBeNull();
  expect(more.subscriptions[1].id).toBe(subscriptions[1].id);
  const TEST = 'mutation ($id: ID!) { testEventSubscription(id: $id) { id } }';
  for (const { id } of [...subscriptions, more.subscriptions[0]]) await acme.admin.graphql(TEST, { id });
  const { rows } = await database().query('select id, secret from webhooks.subscriptions where organization_id = $1', [acme.id]);
  const secrets = rows.map(({ id, secret: sealed }) =>
    own.services.secrets.open(sealed, secretName({ organizationId: acme.id, id })),
  );
  expect(new Set(secrets)).toEqual(new Set([secret]));
});

test('all events or none are subscribed, up to 100 subscriptions', async () => {
  const acme = await open();
  await database().query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events)
     select gen_random_uuid(), $1, 'integration', 'https://hooks.example.com/' || n, '{lead.created}' from generate_series(1, 96) n`,
    [acme.id],
  );
  expect(await acme.admin.refusal(SUBSCRIBE, { input: { events: ALL, targetUrl } })).toMatchObject({ code: 'LIMIT_REACHED' });
  expect((await subscribe(acme, { events: ALL.slice(1) })).subscriptions).toHaveLength(4);
  // Those that exist need no room.
  expect((await subscribe(acme, { events: ALL.slice(1) })).subscriptions).toHaveLength(4);
});

test('the REST API keeps to its own events', async () => {
  const acme = await open();
  await subscribe(acme, { events: ['lead.created', 'agent.tests.failed', 'test.failed', ...ALL] });
  const { body } = await acme.admin.send('GET', '/api/v1/webhooks');
  expect(body.subscriptions.map(({ event }: { event: string }) => event).sort()).toEqual(['agent.tests.failed', 'lead.created']);
  for (const event of ['test.failed', ...ALL]) {
    expect((await acme.admin.send('POST', '/api/v1/webhooks', { event, targetUrl })).status).toBe(400);
    const query = new URLSearchParams({ event, targetUrl });
    expect((await acme.admin.send('DELETE', `/api/v1/webhooks?${query}`)).status).toBe(400);
  }
});
