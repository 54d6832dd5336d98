import { randomUUID } from 'node:crypto';
import { startChatProvider } from '../../support/chat-provider.ts';
import { caller } from '../../support/client.ts';
import { openGateway } from '../../support/gateway.ts';
import { database, seedOrganization } from '../../support/seed.ts';
import { creditsOf, question, seedAgent, send, textOf } from './chatting.ts';

const provider = await startChatProvider();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url });
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url);
const withKey = { 'x-api-key': acme.key };
const { ask } = acme;

test('a reply is the exact UI message stream', async () => {
  provider.on('exact', (response) => response.text('Hello').text(' there').finish());
  const reply = await ask('exact');
  expect(reply.status).toBe(200);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-vercel-ai-ui-message-stream': 'v1',
    'x-accel-buffering': 'no',
    'x-visitor-id': acme.owner.id,
    'x-conversation-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'access-control-expose-headers': expect.stringMatching(/X-Visitor-Id, X-Conversation-Id/),
  });
  expect(reply.parts).toEqual([
    { type: 'start', messageId: expect.any(String) },
    { type: 'start-step' },
    { type: 'text-start', id: 'text-1' },
    { type: 'text-delta', id: 'text-1', delta: 'Hello' },
    { type: 'text-delta', id: 'text-1', delta: ' there' },
    { type: 'text-end', id: 'text-1' },
    { type: 'finish-step' },
    { type: 'finish' },
  ]);
  expect(reply.isDone).toBe(true);
});

test('the chat id of a client continues its conversation', async () => {
  provider.on('chat-id', (response) => response.text('ok').finish());
  const [first, second, other] = [
    await ask('chat-id', { id: 'c-1' }),
    await ask('chat-id', { id: 'c-1' }),
    await ask('chat-id', { id: 'c-2' }),
  ];
  expect(second.conversationId).toBe(first.conversationId);
  expect(other.conversationId).not.toBe(first.conversationId);
  const colleague = await acme.addMember('admin');
  const theirs = await send(acme.adminPath, { ...question('chat-id'), id: 'c-1' }, { 'x-api-key': colleague.key });
  expect(theirs.conversationId).not.toBe(first.conversationId);
});

test('a message that is sent again with its id gets the same reply', async () => {
  provider.on('retry', (response, _, times) => response.text(`Number ${times}`).finish());
  const body = { id: 'retry-chat', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'retry' }] }] };
  const [first, second] = [await send(acme.adminPath, body, withKey), await send(acme.adminPath, body, withKey)];
  expect(second.parts).toEqual(first.parts);
  expect(provider.requests('retry')).toHaveLength(1);
});

test('a message that is sent again after its reply failed gets a new reply, and is stored once', async () => {
  provider.on('second-try', (response, _, times) => (times === 1 ? response.refuse(401) : response.text('Now it works').finish()));
  const body = { id: 'second-try', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'second-try' }] }] };
  const [failed, answered] = [await send(acme.adminPath, body, withKey), await send(acme.adminPath, body, withKey)];
  expect([failed.parts.some(({ type }) => type === 'error'), textOf(answered.parts)]).toEqual([true, 'Now it works']);
  expect((await send(acme.adminPath, body, withKey)).parts).toEqual(answered.parts);
  const { rows } = await database().query(
    'select role, status, replaced from agent.messages where conversation_id = $1 order by position',
    [answered.conversationId],
  );
  expect(rows).toEqual([
    { role: 'user', status: 'complete', replaced: false },
    { role: 'assistant', status: 'failed', replaced: true },
    { role: 'assistant', status: 'complete', replaced: false },
  ]);
});

test('two messages at once: one is answered and the other refused', async () => {
  const gate = Promise.withResolvers<void>();
  provider.on('at-once', async (response) => {
    await gate.promise;
    response.text('Done').finish();
  });
  const { conversationId } = await ask('hello');
  const both = Promise.all([ask('at-once', { conversationId }), ask('at-once', { conversationId })]);
  setTimeout(gate.resolve, 300);
  const replies = (await both).sort((a, b) => a.status - b.status);
  expect(replies.map(({ status }) => status)).toEqual([200, 409]);
  expect(textOf(replies[0]!.parts)).toBe('Done');
  expect(replies[1]!.body).toEqual({
    success: false,
    message: 'The previous message is still being answered. Please wait for the reply.',
  });
  // The next message is accepted at once after the end of the stream.
  expect((await ask('hello', { conversationId })).status).toBe(200);
});

describe('credits', () => {
  test.each([
    ['agent-chat-v1', 1],
    ['agent-chat-pro-v1', 5],
  ])('a reply by %s costs %d', async (modelType, price) => {
    const org = await seedAgent(gateway.url, { modelType }, { credits: 10 });
    await send(org.adminPath, question('hello'), { 'x-api-key': org.key });
    expect(await creditsOf(org.id)).toBe(10 - price);
  });

  test('without credits the reply is a fixed text, without a model call or a charge', async () => {
    provider.on('no-credits', (response) => response.text('paid').finish());
    const poor = await seedAgent(gateway.url, {}, { credits: 0.5 });
    const reply = await send(poor.adminPath, question('no-credits'), { 'x-api-key': poor.key });
    expect(reply.status).toBe(200);
    expect(textOf(reply.parts)).toBe('This assistant is currently unavailable. Please try again later.');
    expect(reply.parts.map(({ type }) => type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(provider.requests('no-credits')).toEqual([]);
    expect(await creditsOf(poor.id)).toBe(0.5);
  });

  test('many messages at once never spend more than there is', async () => {
    const org = await seedAgent(gateway.url, {}, { credits: 3 });
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => send(org.adminPath, question('hello'), { 'x-api-key': org.key })),
    );
    const answered = replies.filter(({ parts }) => textOf(parts).startsWith('Echo'));
    expect(answered).toHaveLength(3);
    expect(await creditsOf(org.id)).toBe(0);
  });
});

describe('refusals', () => {
  test.each([
    [{}, 'messages is required'],
    [{ messages: [] }, ''],
    [{ messages: [{ role: 'assistant', parts: [] }] }, 'messages must contain a message with the role user'],
    [question('  '), 'the last user message must contain a part of type text that is not blank'],
    [{ messages: [{ role: 'user', parts: 'text' }] }, 'the last user message must contain'],
    [question('x'.repeat(20_001)), 'the last user message must be at most 20000 characters'],
    [question('\u0000'), 'must not'],
    [question('\ud800'), ''],
    [{ ...question('hello'), id: 'x'.repeat(129) }, 'id must be'],
    [{ ...question('hello', { id: 5 }) }, 'the id of the last user message must be a text'],
    [{ ...question('hello'), conversationId: ['x'] }, ''],
    ['[]', ''],
  ])('%j is 400', async (body, sentence) => {
    const { status, body: answer } = await send(acme.adminPath, body, withKey);
    expect(status).toBe(400);
    expect(answer.message).toMatch(sentence);
    expect(answer.success).toBe(false);
  });

  test('a message with more than 10,000 parts is 400', async () => {
    const withParts = (count: number) => ({
      messages: [{ role: 'assistant', parts: Array(count).fill({ type: 'step-start' }) }, ...question('hello').messages],
    });
    expect(await send(acme.adminPath, withParts(10_001), withKey)).toMatchObject({
      status: 400,
      body: { success: false, message: 'Invalid request body: messages[0].parts must have at most 10000 entries' },
    });
    expect((await send(acme.adminPath, withParts(10_000), withKey)).status).toBe(200);
  });

  test('conversations of others, of other agents and unknown ids are not found', async () => {
    const { conversationId } = await ask('hello');
    const colleague = await acme.addMember('admin');
    const { createAgent: other } = await acme.admin.graphql('mutation { createAgent(input: { name: "Other" }) { id } }');
    const body = { ...question('hello'), conversationId };
    const missing = { status: 404, body: { success: false, message: 'Conversation not found' } };
    expect(await send(acme.adminPath, body, { 'x-api-key': colleague.key })).toMatchObject(missing);
    expect(await send(acme.adminPath.replace(acme.agent.id, other.id), body, withKey)).toMatchObject(missing);
    expect(await ask('hello', { conversationId: randomUUID() })).toMatchObject(missing);
    expect(await ask('hello', { conversationId: 'no-id' })).toMatchObject(missing);
  });

  test('only owners and admins of the organization chat as admins', async () => {
    const member = await acme.addMember('member');
    const stranger = await seedOrganization();
    const count = async () =>
      (await database().query('select count(*) from agent.messages where organization_id = $1', [acme.id])).rows;
    const before = await count();
    expect((await send(acme.adminPath, question('hello'), { 'x-api-key': member.key })).status).toBe(403);
    expect((await send(acme.adminPath, question('hello'), { 'x-api-key': stranger.key })).status).toBe(403);
    expect((await send(acme.adminPath, question('hello'))).status).toBe(401);
    expect((await send(acme.adminPath.replace(acme.agent.id, randomUUID()), question('hello'), withKey)).status).toBe(404);
    const CHAT = 'subscription ($id: ID!, $m: [UIMessage!]!) { chat(agentId: $id, messages: $m) { part } }';
    const variables = { id: acme.agent.id, m: question('hello').messages };
    const { value } = await caller(member.key, { url: gateway.url }).subscribe(CHAT, variables).next();
    expect(value.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(await count()).toEqual(before);
  });
});

test('GraphQL callers stream the same reply over a WebSocket', async () => {
  provider.on('socket', (response) => response.text('Over').text(' a socket').finish());
  const CHAT = `subscription ($id: ID!, $m: [UIMessage!]!) {
    chat(agentId: $id, messages: $m) { sequence conversationId visitorId messageId part }
  }`;
  const events = [];
  for await (const { data } of acme.admin.subscribe(CHAT, { id: acme.agent.id, m: question('socket').messages }))
    events.push(data.chat);
  expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(textOf(events.map(({ part }) => part))).toBe('Over a socket');
  expect(events[0]).toMatchObject({ visitorId: acme.owner.id, messageId: events[0].part.messageId });
});
