import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { endIdleHandoffs } from '../../subgraphs/agent/handoff/idle.ts';
import { Secrets } from '../../subgraphs/common/secrets.ts';
import { startChatProvider } from '../support/chat-provider.ts';
import { caller } from '../support/client.ts';
import { openGateway } from '../support/gateway.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { ORIGIN, question, read, seedAgent, send, textOf, typesOf } from './chatting.ts';
import {
  CLOSE,
  connect,
  mintToken,
  OPERATOR_EVENTS,
  RETURN,
  requestPerson,
  SEND_OPERATOR,
  SEND_VISITOR,
  summaryOf,
  TAKE_OVER,
  VISITOR_EVENTS,
} from './handing-off.ts';
import { openInProcess } from './in-process.ts';

const provider = await startChatProvider();
const environment = { OPENAI_BASE_URL: provider.url, CHAT_LIMIT_VISITOR: '1000', CHAT_LIMIT_IP: '1000' };
const gateway = await openGateway(environment);
// Operators may reach another process than visitors, here the gateway of the shared system.
const second = { url: process.env.TEST_URL! };
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url, {}, { modules: ['helpdesk'], credits: 100 });
const colleague = caller((await acme.addMember('member')).key, { url: gateway.url });
const creditsOf = async () =>
  (await database().query('select credits::float from identity.organizations where id = $1', [acme.id])).rows[0].credits;

/** A conversation of a visitor that an operator has taken over, with the sockets of both. */
async function active() {
  const { body } = await requestPerson(acme, { reason: 'I want to change my order.' });
  const sender = { visitorId: body.visitorId as string, conversationId: body.conversationId as string };
  const id = (await acme.admin.graphql(TAKE_OVER, { id: sender.conversationId })).takeOverConversation.id as string;
  const visitor = connect(gateway.url, { handoffToken: await mintToken(acme, sender) });
  const operator = connect(second.url, { 'x-api-key': acme.key });
  return { ...sender, id, visitor, operator, close: () => Promise.all([visitor.close(), operator.close()]) };
}

const write = (text: string, { visitorId, conversationId }: { visitorId: string; conversationId: string }, more: object = {}) =>
  send(acme.widgetPath, { ...question(text, more), conversationId }, { origin: ORIGIN, 'x-visitor-id': visitorId });

test('both sides see messages, typing and seen in order, until the handoff is closed', async () => {
  const talk = await active();
  const seen = [talk.visitor.events(VISITOR_EVENTS), talk.operator.events(OPERATOR_EVENTS, { id: talk.conversationId, after: 0 })];
  const { sendOperatorMessage } = await acme.admin.graphql(SEND_OPERATOR, { id: talk.id, text: 'Hello, how can I help?' });
  const CONVERSATION = 'query ($id: ID!) { conversation(id: $id) { lastMessageText openHandoff { id status } } }';
  expect((await acme.admin.graphql(CONVERSATION, { id: talk.conversationId })).conversation).toEqual({
    lastMessageText: 'Hello, how can I help?',
    openHandoff: { id: talk.id, status: 'active' },
  });
  expect((await talk.visitor.run('mutation { setVisitorTyping }')).data).toEqual({ setVisitorTyping: true });
  const SEEN = 'mutation ($position: Int!) { setVisitorSeen(position: $position) }';
  expect((await talk.visitor.run(SEEN, { position: sendOperatorMessage.position })).data.setVisitorSeen).toBe(true);
  expect((await talk.visitor.run(SEND_VISITOR, { text: 'My lamp is broken.' })).data.sendVisitorMessage.position).toBe(2);
  await acme.admin.graphql('mutation ($id: ID!) { setOperatorTyping(id: $id) }', { id: talk.id });
  await acme.admin.graphql('mutation ($id: ID!) { setOperatorSeen(id: $id, position: 2) }', { id: talk.id });
  expect((await acme.admin.graphql(CLOSE, { id: talk.id })).closeHandoff).toEqual({ status: 'closed', endedBy: 'operator' });
  expect((await acme.admin.graphql(CONVERSATION, { id: talk.conversationId })).conversation).toEqual({
    lastMessageText: 'My lamp is broken.',
    openHandoff: null,
  });
  await Promise.all(seen.map(({ ended }) => ended));
  for (const { events } of seen) {
    expect(summaryOf(events)).toEqual([
      'status waiting visitor',
      'status active operator',
      'message active operator Hello, how can I help?',
      'seen active visitor 1',
      'message active visitor My lamp is broken.',
      'seen active operator 2',
      'status closed operator',
    ]);
    const sequences = events.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
    expect(events.filter(({ type }) => type === 'typing').map(({ party }) => party)).toEqual(['visitor', 'operator']);
  }
  await talk.close();
});

test('while a person has the conversation, chat messages reach the operator without a model call or a charge', async () => {
  const talk = await active();
  provider.on('are you there', (response) => response.text('I am a model.').finish());
  const before = [await creditsOf(), provider.requests('are you there').length];
  const reply = await write('are you there', talk);
  expect([reply.status, reply.isDone, typesOf(reply.parts)]).toEqual([200, true, ['start', 'start-step', 'finish-step', 'finish']]);
  expect([await creditsOf(), provider.requests('are you there').length]).toEqual(before);
  const { conversation } = await acme.admin.graphql(
    'query ($id: ID!) { conversation(id: $id) { handoffStatus messages { nodes { role text status } } } }',
    { id: talk.conversationId },
  );
  expect(conversation).toEqual({
    handoffStatus: 'active',
    messages: { nodes: [{ role: 'user', text: 'are you there', status: 'complete' }] },
  });
  await talk.close();
});

test('after the conversation is handed back, the agent answers and knows what the person wrote', async () => {
  const talk = await active();
  await acme.admin.graphql(SEND_OPERATOR, { id: talk.id, text: 'Your refund is 12 euros.' });
  expect((await acme.admin.graphql(RETURN, { id: talk.id })).returnHandoff).toEqual({ status: 'returned', endedBy: 'operator' });
  provider.on('returned-question', (response) => response.text('Yes, 12 euros.').finish());
  const reply = await write('returned-question', talk);
  expect(textOf(reply.parts)).toBe('Yes, 12 euros.');
  const [request] = provider.requests('returned-question');
  expect(request!.messages.slice(1)).toEqual([
    { role: 'assistant', content: expect.stringContaining('Your refund is 12 euros.') },
    { role: 'user', content: 'returned-question' },
  ]);
  expect((await talk.visitor.run(SEND_VISITOR, { text: 'x' })).errors[0].extensions.code).toBe('UNPROCESSABLE');
  await talk.close();
});

test('a visitor who loses the connection resumes after the last event and misses nothing', async () => {
  const talk = await active();
  const first = talk.visitor.events(VISITOR_EVENTS);
  await until(() => first.events.length === 2);
  talk.visitor.tear();
  await first.ended.catch(() => {});
  for (const text of ['one', 'two', 'three']) await acme.admin.graphql(SEND_OPERATOR, { id: talk.id, text });
  const again = connect(gateway.url, { handoffToken: await mintToken(acme, talk) });
  const rest = again.events(VISITOR_EVENTS, { after: first.events.at(-1)!.sequence });
  await until(() => rest.events.length === 3);
  expect(rest.events.map(({ message }) => message.text)).toEqual(['one', 'two', 'three']);
  await Promise.all([again.close(), talk.close()]);
});

test('closing revokes the token, and a new one follows the next handoff', async () => {
  const talk = await active();
  const old = await mintToken(acme, talk);
  expect((await talk.visitor.run('mutation { endHandoff }')).data.endHandoff).toBe(true);
  const refused = connect(gateway.url, { handoffToken: old });
  expect((await refused.run(VISITOR_EVENTS, { after: 0 })).errors[0].extensions.code).toBe('INVALID_KEY');
  expect((await refused.run(SEND_VISITOR, { text: 'still here' })).errors[0].extensions.code).toBe('INVALID_KEY');
  expect((await requestPerson(acme, { conversationId: talk.conversationId }, talk.visitorId)).body.status).toBe('waiting');
  const renewed = connect(gateway.url, { handoffToken: await mintToken(acme, talk) });
  const { events } = renewed.events(VISITOR_EVENTS);
  await until(() => events.length === 4);
  expect(events.map(({ status }) => status)).toEqual(['waiting', 'active', 'closed', 'waiting']);
  await Promise.all([refused.close(), renewed.close(), talk.close()]);
});

test('no token, a forged token and a token of another purpose are refused', async () => {
  const talk = await active();
  const claims = { organizationId: acme.id, version: 0 };
  const forge = (key: string) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(talk.conversationId)
      .setAudience('handoff')
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(key));
  const unsigned = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ ...claims, sub: talk.conversationId, aud: 'handoff' }))}.`;
  for (const handoffToken of [undefined, 'x', '__proto__', unsigned, await forge('a'.repeat(32))]) {
    const stranger = connect(gateway.url, { handoffToken });
    const { errors } = await stranger.run(SEND_VISITOR, { text: 'let me in' });
    expect(errors[0].extensions.code).toMatch(/^(MISSING|INVALID)_KEY$/);
    await stranger.close();
  }
  await talk.close();
});

test('a subscription ends when its token expires', async () => {
  const talk = await active();
  const expiring = await new SignJWT({ organizationId: acme.id, version: 0 })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(talk.conversationId)
    .setAudience('handoff')
    .setExpirationTime(new Date(Date.now() + 2_000))
    .sign(new Secrets(['the-key-of-the-tests-and-of-nothing-else']).tokenKey('handoff'));
  const visitor = connect(gateway.url, { handoffToken: expiring });
  const { events, ended } = visitor.events(VISITOR_EVENTS);
  await ended;
  expect(events.map(({ status }) => status)).toEqual(['waiting', 'active']);
  await Promise.all([visitor.close(), talk.close()]);
});

test('a handoff without a message for a day is closed', async () => {
  const { services, close } = await openInProcess();
  const [idle, busy] = [await active(), await active()];
  try {
    const { events, ended } = idle.visitor.events(VISITOR_EVENTS);
    // A closed handoff accepts no new subscription.
    await until(() => events.length === 2);
    await database().query(
      `with aged as (update agent.conversations set last_message_at = now() - interval '2 days' where id = $1)
       update agent.handoffs set created_at = now() - interval '2 days', taken_at = now() - interval '2 days' where id = $2`,
      [idle.conversationId, idle.id],
    );
    await endIdleHandoffs(services);
    await ended;
    const READ = 'query ($id: ID!) { handoff(id: $id) { status endedBy } }';
    expect((await acme.admin.graphql(READ, { id: idle.id })).handoff).toEqual({ status: 'closed', endedBy: null });
    expect((await acme.admin.graphql(READ, { id: busy.id })).handoff.status).toBe('active');
  } finally {
    await Promise.all([idle.close(), busy.close(), close()]);
  }
});

test('only one of two operators gets a conversation, and a colleague takes it by force', async () => {
  const { body } = await requestPerson(acme);
  const id = body.conversationId;
  const answers = await Promise.all(
    [acme.admin, colleague].map((each) => each.post('/graphql', { query: TAKE_OVER, variables: { id } })),
  );
  const codes = answers.map((each) => each.body.errors?.[0].extensions.code);
  expect(codes.sort()).toEqual(['CONFLICT', undefined]);
  const handoff = answers.find((each) => !each.body.errors)!.body.data.takeOverConversation;
  const { data } = (await colleague.post('/graphql', { query: TAKE_OVER, variables: { id, force: true } })).body;
  expect(data.takeOverConversation).toMatchObject({ id: handoff.id, status: 'active' });
  expect(await acme.admin.refusal(SEND_OPERATOR, { id: handoff.id, text: 'mine' })).toMatchObject({ code: 'CONFLICT' });
  await colleague.graphql(SEND_OPERATOR, { id: handoff.id, text: 'now mine' });
});

test('a take-over stops the running reply, and the model stays silent', async () => {
  provider.on('take-over-while-writing', (response) => void response.text('I think'));
  const response = await fetch(acme.widgetPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN },
    body: JSON.stringify(question('take-over-while-writing')),
  });
  const sender = {
    conversationId: response.headers.get('x-conversation-id')!,
    visitorId: response.headers.get('x-visitor-id')!,
  };
  await acme.admin.graphql(TAKE_OVER, { id: sender.conversationId });
  expect(typesOf((await read(response)).parts).at(-1)).toBe('finish');
  expect(typesOf((await write('another', sender)).parts)).toEqual(['start', 'start-step', 'finish-step', 'finish']);
});

test('messages that race a take-over are all stored, and each is answered by the model or delivered', async () => {
  const { body } = await requestPerson(acme);
  const sender = body as { conversationId: string; visitorId: string };
  const replies = await Promise.all([
    ...Array.from({ length: 4 }, (_, nth) => write(`race ${nth}`, sender)),
    acme.admin.graphql(TAKE_OVER, { id: sender.conversationId }),
    ...Array.from({ length: 4 }, (_, nth) => write(`race ${nth + 4}`, sender)),
  ]);
  const accepted = replies.filter((each) => 'status' in each && each.status === 200);
  const { rows } = await database().query(
    `select position, role from agent.messages where conversation_id = $1 order by position`,
    [sender.conversationId],
  );
  expect(rows.map(({ position }) => position)).toEqual(rows.map((_, index) => index + 1));
  expect(rows.filter(({ role }) => role === 'user')).toHaveLength(accepted.length);
});

test('a message that is sent again with its id is stored once', async () => {
  const talk = await active();
  const clientId = randomUUID();
  const sent = await Promise.all(Array.from({ length: 5 }, () => talk.visitor.run(SEND_VISITOR, { text: 'once', clientId })));
  expect(new Set(sent.map(({ data }) => data.sendVisitorMessage.id)).size).toBe(1);
  const chats = await Promise.all(Array.from({ length: 3 }, () => write('chat once', talk, { id: clientId })));
  expect(new Set(chats.map(({ parts }) => parts[0]!.messageId)).size).toBe(1);
  const regenerated = await send(
    acme.widgetPath,
    { ...question('chat once'), conversationId: talk.conversationId, trigger: 'regenerate-message' },
    { origin: ORIGIN, 'x-visitor-id': talk.visitorId },
  );
  expect(regenerated.parts[0]!.messageId).toBe(chats[0]!.parts[0]!.messageId);
  const { rows } = await database().query('select count(*)::int from agent.messages where conversation_id = $1', [
    talk.conversationId,
  ]);
  expect(rows[0].count).toBe(2);
  await talk.close();
});

test('hostile values are refused or have no effect', async () => {
  const talk = await active();
  const codeOf = async (query: string, variables: object) =>
    (await talk.visitor.run(query, { ...variables })).errors?.[0].extensions.code;
  for (const text of ['', ' \n', 'x'.repeat(20_001), 'a\0b', '\ud800'])
    expect(await codeOf(SEND_VISITOR, { text })).toBe('INVALID_INPUT');
  expect(await codeOf(SEND_VISITOR, { text: 'x', clientId: 'x'.repeat(129) })).toBe('INVALID_INPUT');
  const SEEN = 'mutation ($position: Int!) { setVisitorSeen(position: $position) }';
  for (const position of [0, -1]) expect(await codeOf(SEEN, { position })).toBe('INVALID_INPUT');
  // No such message exists.
  expect((await talk.visitor.run(SEEN, { position: 2_147_483_647 })).data).toEqual({ setVisitorSeen: false });
  expect((await talk.visitor.run(SEND_VISITOR, { text: '的一是在不'.repeat(4_000) })).data.sendVisitorMessage.position).toBe(1);
  const past = talk.visitor.events(VISITOR_EVENTS, { after: -1 });
  const future = talk.visitor.events(VISITOR_EVENTS, { after: 2_147_483_647 });
  await until(() => past.events.length === 3);
  expect(future.events).toEqual([]);
  await talk.close();
});

test('a flood of typing writes few events', async () => {
  const talk = await active();
  const sent = await Promise.all(Array.from({ length: 40 }, () => talk.visitor.run('mutation { setVisitorTyping }')));
  expect(sent.filter(({ data }) => data.setVisitorTyping).length).toBeLessThan(10);
  await talk.close();
});

test('the agent asks for a person with its tool, and answers until somebody comes', async () => {
  provider.on('a-human-please', (response, { messages }) => {
    if (messages.at(-1)!.role === 'tool') response.text('I have asked the team.').finish();
    else response.call(0, 'c1', 'request_person', '{"reason":"Wants a human"}').finish('tool_calls');
  });
  const reply = await send(acme.widgetPath, question('a-human-please'), { origin: ORIGIN });
  expect(textOf(reply.parts)).toBe('I have asked the team.');
  expect(textOf((await write('meanwhile', reply)).parts)).toBe('Echo: meanwhile');
  const operator = connect(gateway.url, { 'x-api-key': acme.key });
  const { events } = operator.events(OPERATOR_EVENTS, { id: reply.conversationId, after: 0 });
  await until(() => events.length === 4);
  expect(summaryOf(events)).toEqual([
    'status waiting agent',
    'message waiting agent I have asked the team.',
    'message waiting visitor meanwhile',
    'message waiting agent Echo: meanwhile',
  ]);
  const taken = (await acme.admin.graphql(TAKE_OVER, { id: reply.conversationId })).takeOverConversation;
  expect(taken).toMatchObject({ requestedBy: 'agent', reason: 'Wants a human', status: 'active' });
  expect(provider.requests('a-human-please')[0]!.tools!.map((each) => each.function.name)).toContain('request_person');
  await operator.close();
});

test('operators follow the waiting visitors of their organization in one subscription', async () => {
  const shop = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });
  const operator = connect(gateway.url, { 'x-api-key': shop.key });
  const { events } = operator.events(
    'subscription { event: handoffQueue { waiting active handoffs { id status reason unseenMessages conversation { messageCount } agent { name } } } }',
    {},
  );
  await until(() => events.length === 1);
  expect(events[0]).toEqual({ waiting: 0, active: 0, handoffs: [] });
  const { body } = await requestPerson(shop, { reason: 'Help' });
  await send(
    shop.widgetPath,
    { ...question('hello'), conversationId: body.conversationId },
    {
      origin: ORIGIN,
      'x-visitor-id': body.visitorId,
    },
  );
  await until(() => events.at(-1)!.handoffs[0]?.unseenMessages === 1 && events.at(-1)!.handoffs[0].conversation.messageCount === 2);
  expect(events.at(-1)).toMatchObject({
    waiting: 1,
    active: 0,
    handoffs: [{ status: 'waiting', reason: 'Help', agent: { name: 'Zoe' } }],
  });
  const { takeOverConversation } = await shop.admin.graphql(TAKE_OVER, { id: body.conversationId });
  await until(() => events.at(-1)!.active === 1);
  await shop.admin.graphql('mutation ($id: ID!) { setConversationStatus(id: $id, status: closed) { handoffStatus } }', {
    id: body.conversationId,
  });
  await until(() => events.at(-1)!.active === 0);
  expect((await shop.admin.graphql('query ($id: ID!) { handoff(id: $id) { status } }', takeOverConversation)).handoff.status).toBe(
    'closed',
  );
  await operator.close();
});

test('deleting the conversation ends the subscriptions of both sides', async () => {
  const talk = await active();
  const streams = [
    talk.visitor.events(VISITOR_EVENTS),
    talk.operator.events(OPERATOR_EVENTS, { id: talk.conversationId, after: 0 }),
  ];
  await until(() => streams.every(({ events }) => events.length === 2));
  await acme.admin.graphql('mutation ($id: ID!) { deleteConversation(id: $id) { deleted } }', { id: talk.conversationId });
  await Promise.all(streams.map(({ ended }) => ended));
  await talk.close();
});

test('handoffs need the Helpdesk module, a conversation with a visitor, and the own organization', async () => {
  const plain = await seedAgent(gateway.url);
  expect((await requestPerson(plain)).status).toBe(403);
  const chat = await send(plain.widgetPath, question('hello'), { origin: ORIGIN });
  expect(await plain.admin.refusal(TAKE_OVER, { id: chat.conversationId })).toMatchObject({ code: 'PLAN_REQUIRED' });
  const other = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });
  expect(await other.admin.refusal(TAKE_OVER, { id: chat.conversationId })).toMatchObject({ code: 'NOT_FOUND' });
  expect((await requestPerson(other, { conversationId: chat.conversationId }, chat.visitorId)).status).toBe(404);
  const asAdmin = await send(acme.adminPath, question('hello'), { 'x-api-key': acme.key });
  expect(await acme.admin.refusal(TAKE_OVER, { id: asAdmin.conversationId })).toMatchObject({ code: 'UNPROCESSABLE' });
});
