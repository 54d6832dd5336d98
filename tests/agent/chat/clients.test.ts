import { Chat as ReactChat } from '@ai-sdk/react';
import * as ai7 from 'ai';
import * as ai5 from 'ai5';
import * as ai6 from 'ai6';
import { resultIn, startChatProvider } from '../../support/chat-provider.ts';
import { openGateway } from '../../support/gateway.ts';
import { database } from '../../support/seed.ts';
import { addProduct } from '../catalog-data.ts';
import { requestPerson, TAKE_OVER } from '../handoff/handing-off.ts';
import { ORIGIN, seedAgent } from './chatting.ts';

const provider = await startChatProvider();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url });
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url, { catalogAccess: true });
const page = { sourceUrl: 'https://maker.example.com/dd18', snippet: 'Weight: 1.6 kg' };
beforeAll(() => addProduct(acme, { sku: 'DD18', name: 'Cordless drill' }, { weight: { value: 1.6, confidence: 95, ...page } }));
provider.on('how heavy', (response, { messages }) => {
  const called = messages.find(({ tool_call_id }) => tool_call_id === 'c1');
  const result = called && resultIn(called);
  if (result) response.text(`It weighs 1.6 kg [${JSON.parse(result).values[0].citation}].`).finish();
  else response.call(0, 'c1', 'read_product', '{"sku":"DD18"}').call(1, 'c2', 'look_up', '{}').finish('tool_calls');
});
provider.on('hello', (response) => response.text('Hello').text(' there').finish());
provider.on('fail', (response) => response.text('Half').chunk({}).raw('data: {"error": {"message": "x"}}\n\n').response.end());

// The versions have the same functions, but their types are unrelated.
const versions = { 5: ai5, 6: ai6, 7: ai7 } as unknown as Record<string, typeof ai7>;
const endpoints = {
  admin: { api: acme.adminPath, headers: { 'x-api-key': acme.key } },
  widget: { api: acme.widgetPath, headers: { origin: ORIGIN, 'x-visitor-id': 'a3f0c1de-93a5-4a0e-8d0a-5b7e6c1f2d34' } },
};
const cases = Object.entries(versions).flatMap(([version, ai]) =>
  Object.entries(endpoints).map(([name, endpoint]) => ({ version, name, ai, endpoint })),
);

describe.each(cases)('ai $version at the $name endpoint', ({ ai, endpoint, version, name }) => {
  const chatId = `chat-${version}-${name}`;
  const open = (text: string, id = chatId, abortSignal?: AbortSignal) =>
    new ai.DefaultChatTransport({ ...endpoint }).sendMessages({
      trigger: 'submit-message',
      chatId: id,
      messageId: undefined,
      messages: [{ id: `m-${text}`, role: 'user', parts: [{ type: 'text', text }] }],
      abortSignal,
    });
  const finalMessage = async (stream: Awaited<ReturnType<typeof open>>, onError = (_: unknown) => {}) => {
    let last: ai7.UIMessage | undefined;
    for await (const message of ai.readUIMessageStream({ stream, onError })) last = message;
    return last!;
  };

  test('reads a reply', async () => {
    const message = await finalMessage(await open('hello'));
    expect(message).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      role: 'assistant',
      parts: [{ type: 'step-start' }, { type: 'text', text: 'Hello there', state: 'done' }],
    });
  });

  test('reads tool calls with their outputs and faults, and the sources of the answer', async () => {
    const { parts } = await finalMessage(await open('how heavy', `${chatId}-tools`));
    expect(parts).toMatchObject([
      { type: 'step-start' },
      {
        ...{ type: 'tool-read_product', toolCallId: '1-c1', state: 'output-available', input: { sku: 'DD18' } },
        output: { sku: 'DD18', values: [{ attribute: 'weight', value: 1.6 }] },
      },
      { type: 'tool-look_up', toolCallId: '1-c2', state: 'output-error', errorText: 'There is no tool named look_up.' },
      { type: 'step-start' },
      { type: 'text', text: 'It weighs 1.6 kg.', state: 'done' },
      { type: 'source-url', sourceId: 'DD18:weight', url: page.sourceUrl, title: 'Cordless drill' },
    ]);
  });

  test('reports an error in the middle, and keeps the text before it', async () => {
    const errors: unknown[] = [];
    const message = await finalMessage(await open('fail', `${chatId}-fail`), (error) => errors.push(error));
    expect(message.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'Half' }));
    expect(String(errors[0])).toMatch('The reply could not be completed.');
  });

  test('a client that went away gets the running reply from its start, and later nothing', async () => {
    const gate = Promise.withResolvers<void>();
    provider.on(`leave-${chatId}`, async (response) => {
      response.text('Before');
      await gate.promise;
      response.text(' and after').finish();
    });
    const id = `${chatId}-leave`;
    const disconnect = new AbortController();
    const reader = (await open(`leave-${chatId}`, id, disconnect.signal)).getReader();
    while ((await reader.read()).value?.type !== 'text-delta');
    disconnect.abort();
    await reader.cancel().catch(() => {});

    const transport = new ai.DefaultChatTransport({ ...endpoint });
    const resumed = await transport.reconnectToStream({ chatId: id });
    gate.resolve();
    const message = await finalMessage(resumed!);
    expect(message.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'Before and after' }));
    expect(await transport.reconnectToStream({ chatId: id })).toBeNull();
  });
});

test.each(Object.entries(versions))('the chat of ai %s keeps a conversation over several messages', async (_, ai) => {
  class Chat extends ai.AbstractChat<ai7.UIMessage> {}
  const state = {
    status: 'ready' as ai7.ChatStatus,
    error: undefined as Error | undefined,
    messages: [] as ai7.UIMessage[],
    pushMessage(message: ai7.UIMessage) {
      this.messages = [...this.messages, message];
    },
    popMessage() {
      this.messages = this.messages.slice(0, -1);
    },
    replaceMessage(index: number, message: ai7.UIMessage) {
      this.messages = this.messages.with(index, message);
    },
    snapshot: <T>(value: T): T => structuredClone(value),
  };
  const chat = new Chat({ state, transport: new ai.DefaultChatTransport(endpoints.admin) });
  await chat.sendMessage({ text: 'first' });
  await chat.sendMessage({ text: 'second' });
  await chat.regenerate();
  expect(chat.error).toBeUndefined();
  const texts = chat.messages.map(({ role, parts }) => [
    role,
    parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  ]);
  expect(texts).toEqual([
    ['user', 'first'],
    ['assistant', 'Echo: first'],
    ['user', 'second'],
    ['assistant', 'Echo: second'],
  ]);
  const { rows } = await database().query(
    'select m.role, m.replaced from agent.messages m join agent.conversations c on c.id = m.conversation_id where c.client_id = $1 order by position',
    [chat.id],
  );
  expect(rows.map(({ role, replaced }) => `${role}${replaced ? ' (replaced)' : ''}`)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant (replaced)',
    'assistant',
  ]);
});

test.each(Object.entries(versions))('ai %s stays ready while a person has the conversation', async (version, ai) => {
  const helped = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });
  const { body } = await requestPerson(helped);
  await helped.admin.graphql(TAKE_OVER, { id: body.conversationId });
  const transport = new ai.DefaultChatTransport({
    api: helped.widgetPath,
    headers: { origin: ORIGIN, 'x-visitor-id': body.visitorId },
    body: { conversationId: body.conversationId },
  });
  const message = { id: `silent-${version}`, role: 'user' as const, parts: [{ type: 'text' as const, text: 'hello' }] };
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: `silent-${version}`,
    messageId: undefined,
    messages: [message],
    abortSignal: undefined,
  });
  const parts: unknown[] = [];
  for await (const read of ai.readUIMessageStream({ stream }))
    parts.push(...read.parts.filter(({ type }) => type !== 'step-start'));
  expect(parts).toEqual([]);
});

test('the chat behind useChat keeps a conversation', async () => {
  const chat = new ReactChat({ transport: new ai7.DefaultChatTransport(endpoints.widget) });
  await chat.sendMessage({ text: 'hello' });
  await chat.sendMessage({ text: 'and more' });
  expect(chat.status).toBe('ready');
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(provider.requests('hello').length).toBeGreaterThan(0);
  const { rows } = await database().query('select message_count from agent.conversations where client_id = $1', [chat.id]);
  expect(rows).toEqual([{ message_count: 4 }]);
});
