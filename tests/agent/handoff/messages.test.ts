import { randomUUID } from 'node:crypto';
import { database } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { creditsOf, ORIGIN, question, send, textOf, typesOf } from '../chat/chatting.ts';
import {
  CLOSE,
  connect,
  mintToken,
  OPERATOR_EVENTS,
  openHandoffs,
  RETURN,
  SEND_OPERATOR,
  SEND_VISITOR,
  summaryOf,
  VISITOR_EVENTS,
} from './handing-off.ts';

const { provider, gateway, acme, active, write, close } = await openHandoffs();
afterAll(close);

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
  const before = [await creditsOf(acme.id), provider.requests('are you there').length];
  const reply = await write('are you there', talk);
  expect([reply.status, reply.isDone, typesOf(reply.parts)]).toEqual([200, true, ['start', 'start-step', 'finish-step', 'finish']]);
  expect([await creditsOf(acme.id), provider.requests('are you there').length]).toEqual(before);
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
  await until(() => future.events.length === 3);
  await talk.close();
});

test('a flood of typing writes few events', async () => {
  const talk = await active();
  const sent = await Promise.all(Array.from({ length: 40 }, () => talk.visitor.run('mutation { setVisitorTyping }')));
  expect(sent.filter(({ data }) => data.setVisitorTyping).length).toBeLessThan(10);
  await talk.close();
});
