import { randomUUID } from 'node:crypto';
import { startChatProvider } from '../../support/chat-provider.ts';
import { openGateway } from '../../support/gateway.ts';
import { database } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { startToolReceiver } from '../tools/receiver.ts';
import { seedAgent, textOf, typesOf } from './chatting.ts';

const provider = await startChatProvider();
const receiver = await startToolReceiver();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url, OUTBOUND_ALLOW_HOSTS: '127.0.0.1,localhost' });
afterAll(async () => {
  await gateway.stop();
  await Promise.all([provider.close(), receiver.close()]);
});
receiver.replyWith(({ url }, response) => {
  if (url === '/orders/never') return;
  if (url.startsWith('/broken')) response.statusCode = 500;
  if (url.startsWith('/redirect')) response.writeHead(302, { location: 'http://169.254.169.254/' });
  response.end(JSON.stringify({ status: `shipped ${url.split('/').at(-1)}` }));
});

const acme = await seedAgent(gateway.url);
for (const [name, path] of [
  ['order_status', '/orders/{{params.id}}'],
  ['broken', '/broken'],
  ['redirect', '/redirect'],
]) {
  const { status, body } = await acme.admin.post(`/api/${acme.slug}/agents/${acme.agent.id}/tools`, {
    name,
    description: 'Looks it up.',
    method: 'GET',
    endpointUrl: receiver.url + path,
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    responseMapping: { kind: 'jsonpath', path: '$.status' },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
}
const { ask } = acme;

test('a long id that the model writes as a number keeps its digits', async () => {
  provider.on('order of nineteen digits', (response, { messages }) => {
    if (messages.at(-1)!.role === 'tool') response.text('It has shipped.').finish();
    else response.call(0, 'c1', 'order_status', '{"id": 1234567890123456789}').finish('tool_calls');
  });
  const { parts } = await ask('order of nineteen digits');
  expect(parts).toContainEqual({ type: 'tool-output-available', toolCallId: '1-c1', output: 'shipped 1234567890123456789' });
});

test('a tool is called, and the reply continues with its result', async () => {
  provider.on('order 77', (response, { messages }) => {
    if (messages.at(-1)!.role === 'tool') response.text('It has shipped.').finish();
    else
      response
        .text('Let me look.')
        .call(0, 'c1', 'order_status', '{"id": ')
        .call(0, undefined, undefined, '"77"}')
        .finish('tool_calls');
  });
  const { parts, conversationId } = await ask('order 77');
  expect(parts.slice(1)).toEqual([
    { type: 'start-step' },
    { type: 'text-start', id: 'text-1' },
    { type: 'text-delta', id: 'text-1', delta: 'Let me look.' },
    { type: 'text-end', id: 'text-1' },
    { type: 'tool-input-start', toolCallId: '1-c1', toolName: 'order_status' },
    { type: 'tool-input-available', toolCallId: '1-c1', toolName: 'order_status', input: { id: '77' } },
    { type: 'tool-output-available', toolCallId: '1-c1', output: 'shipped 77' },
    { type: 'finish-step' },
    { type: 'start-step' },
    { type: 'text-start', id: 'text-2' },
    { type: 'text-delta', id: 'text-2', delta: 'It has shipped.' },
    { type: 'text-end', id: 'text-2' },
    { type: 'finish-step' },
    { type: 'finish' },
  ]);
  const [first, second] = provider.requests('order 77');
  expect(first!.tools!.map((tool) => tool.function.name)).toEqual(['broken', 'order_status', 'redirect']);
  expect(second!.messages.slice(-2)).toMatchObject([
    {
      role: 'assistant',
      content: 'Let me look.',
      tool_calls: [{ id: 'c1', function: { name: 'order_status', arguments: '{"id": "77"}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: '<untrusted>\n"shipped 77"\n</untrusted>' },
  ]);
  const { rows } = await database().query('select tool_name, status from agent.tool_calls where conversation_id = $1', [
    conversationId,
  ]);
  expect(rows).toEqual([{ tool_name: 'order_status', status: 'succeeded' }]);
  const stored = await database().query(`select parts from agent.messages where conversation_id = $1 and role = 'assistant'`, [
    conversationId,
  ]);
  expect(stored.rows[0].parts).toContainEqual({
    type: 'tool-order_status',
    toolCallId: '1-c1',
    state: 'output-available',
    input: { id: '77' },
    output: 'shipped 77',
  });
});

test.each([
  ['a receiver that fails', 'broken', '{}'],
  ['a redirect to a private address', 'redirect', '{}'],
  ['broken JSON', 'order_status', '{"id": '],
  ['arguments that are no object', 'order_status', '[1]'],
  ['an unknown tool', 'nothing', '{}'],
])('%s is a tool error, and the reply continues', async (name, tool, written) => {
  provider.on(`tool fault: ${name}`, (response, { messages }) => {
    if (messages.at(-1)!.role === 'tool') response.text('Sorry.').finish();
    else response.call(0, 'c1', tool, written).finish('tool_calls');
  });
  const { parts, isDone } = await ask(`tool fault: ${name}`);
  expect(typesOf(parts)).toEqual([
    'start',
    'start-step',
    'tool-input-start',
    'tool-input-available',
    'tool-output-error',
    'finish-step',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'finish-step',
    'finish',
  ]);
  expect(isDone).toBe(true);
  // The history stays valid for the provider.
  const call = provider.requests(`tool fault: ${name}`)[1]!.messages.at(-2)!.tool_calls![0] as { function: { arguments: string } };
  expect(() => JSON.parse(call.function.arguments)).not.toThrow();
});

test('several tools of one step run at the same time', async () => {
  provider.on('both orders', (response, { messages }) => {
    if (messages.at(-1)!.role === 'tool') response.text('Both.').finish();
    else response.call(0, 'same', 'order_status', '{"id":"1"}').call(1, 'same', 'order_status', '{"id":"2"}').finish('tool_calls');
  });
  const { parts } = await ask('both orders');
  const outputs = parts.filter(({ type }) => type === 'tool-output-available');
  expect(new Set(outputs.map(({ output }) => output))).toEqual(new Set(['shipped 1', 'shipped 2']));
  expect(new Set(outputs.map(({ toolCallId }) => toolCallId)).size).toBe(2);
});

test('a model that never stops calling tools must answer after eight rounds', async () => {
  provider.on('endless', (response, { tool_choice }) => {
    if (tool_choice === 'none') response.text('Enough.').finish();
    else response.call(0, 'c', 'order_status', '{"id":"1"}').finish('tool_calls');
  });
  const { parts } = await ask('endless');
  expect(parts.filter(({ type }) => type === 'tool-output-available')).toHaveLength(8);
  expect(new Set(parts.filter(({ type }) => type === 'tool-input-start').map(({ toolCallId }) => toolCallId)).size).toBe(8);
  expect(textOf(parts)).toBe('Enough.');
  expect(provider.requests('endless')).toHaveLength(9);
});

test('a model that calls tools even when it may not ends as an error, not as an endless loop', async () => {
  provider.on('stubborn', (response) => response.call(0, 'c', 'order_status', '{"id":"1"}').finish('tool_calls'));
  const { parts, isDone } = await ask('stubborn');
  expect(provider.requests('stubborn')).toHaveLength(9);
  expect(typesOf(parts).slice(-3)).toEqual(['error', 'finish-step', 'finish']);
  expect(isDone).toBe(true);
});

test('names and ids of a model that PostgreSQL rejects are replaced, and the reply is stored', async () => {
  provider.on('unstorable', (response, { messages }) => {
    if (messages.at(-1)!.role === 'tool') response.text('No such tool.').finish();
    else response.call(0, 'c\0\ud83d', 'no\0such\ud83d', '{}').finish('tool_calls');
  });
  const { parts, conversationId } = await ask('unstorable');
  expect(parts).toContainEqual({
    type: 'tool-output-error',
    toolCallId: '1-c\ufffd',
    errorText: 'There is no tool named nosuch\ufffd.',
  });
  expect(textOf(parts)).toBe('No such tool.');
  const { rows } = await database().query(
    `select status, text from agent.messages where conversation_id = $1 and role = 'assistant'`,
    [conversationId],
  );
  expect(rows).toEqual([{ status: 'complete', text: 'No such tool.' }]);
});

test('a reply that is stopped during a tool call closes the call, and the conversation continues', async () => {
  provider.on('stopped call', (response) =>
    response.text('One moment.').call(0, 'c1', 'order_status', '{"id": "never"}').finish('tool_calls'),
  );
  const id = randomUUID();
  const reply = ask('stopped call', { id });
  await until(() => receiver.received.some(({ url }) => url === '/orders/never'));
  const STOP = 'mutation ($agentId: ID!, $id: ID!) { stopReply(agentId: $agentId, conversationId: $id) }';
  expect(await acme.admin.graphql(STOP, { agentId: acme.agent.id, id })).toEqual({ stopReply: true });
  const { parts, isDone, conversationId } = await reply;
  expect(isDone).toBe(true);
  expect(typesOf(parts).slice(-4)).toEqual(['tool-input-available', 'tool-output-error', 'finish-step', 'finish']);
  const { rows } = await database().query(
    `select status, text, parts from agent.messages where conversation_id = $1 and role = 'assistant'`,
    [conversationId],
  );
  expect(rows).toMatchObject([{ status: 'stopped', text: 'One moment.' }]);
  expect(rows[0].parts.at(-1)).toMatchObject({ state: 'output-error' });
  expect(textOf((await ask('and now', { id })).parts)).toBe('Echo: and now');
});
