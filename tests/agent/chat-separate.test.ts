import { startChatProvider } from '../support/chat-provider.ts';
import { startGateway, startSubgraph } from '../support/gateway.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { ORIGIN, question, read, seedAgent, send, textOf, typesOf } from './chatting.ts';

const SECRET = 'known-to-the-processes-only';
const provider = await startChatProvider();
const startAgents = (port = '0') => startSubgraph('agent', { PORT: port, SUBGRAPH_SECRET: SECRET, OPENAI_BASE_URL: provider.url });
let agents = await startAgents();
const { url } = agents.addresses;
const gateway = await startGateway({ AGENT_URL: url!, SUBGRAPH_SECRET: SECRET });
afterAll(async () => {
  await gateway.stop();
  await agents.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url);
const withKey = { 'x-api-key': acme.key };

test('a separate subgraph streams the same reply, to admins and visitors', async () => {
  provider.on('hello', (response) => response.text('Hello').text(' there').finish());
  for (const reply of [
    await send(acme.adminPath, question('hello'), withKey),
    await send(acme.widgetPath, question('hello'), { origin: ORIGIN }),
  ]) {
    expect(reply.status).toBe(200);
    expect(textOf(reply.parts)).toBe('Hello there');
    expect(reply.isDone).toBe(true);
  }
  expect((await send(acme.widgetPath, question('hello'), { origin: 'https://evil.example.com' })).status).toBe(403);
  expect((await send(acme.widgetPath.replace(acme.agent.publicSlug, 'nobody'), question('hello'))).status).toBe(404);
});

test('a reader that disconnects does not stop the reply', async () => {
  const gate = Promise.withResolvers<void>();
  provider.on('unread apart', async (response) => {
    response.text('Begin');
    await gate.promise;
    response.text(' end').finish();
  });
  const disconnect = new AbortController();
  const response = await fetch(acme.adminPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...withKey },
    body: JSON.stringify(question('unread apart')),
    signal: disconnect.signal,
  });
  const conversationId = response.headers.get('x-conversation-id')!;
  disconnect.abort();
  const resumed = await fetch(`${acme.adminPath}/${conversationId}/stream`, { headers: withKey });
  gate.resolve();
  expect(textOf((await read(resumed)).parts)).toBe('Begin end');
});

test('a subgraph that is killed and comes back ends the stream with an error, and no message is sent twice', async () => {
  provider.on('killed apart', (response) => void response.text('Begin'));
  const response = await fetch(acme.adminPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...withKey },
    body: JSON.stringify(question('killed apart')),
  });
  const reading = read(response);
  const id = response.headers.get('x-conversation-id');
  // A reader may see parts that were never stored; here they are.
  const STORED = `select 1 from agent.reply_parts p join agent.messages m on m.id = p.message_id
                   where m.conversation_id = $1 and p.parts::text like '%text-delta%'`;
  await until(async () => (await database().query(STORED, [id])).rows.length > 0);
  await agents.stop('SIGKILL');
  agents = await startAgents(new URL(url!).port);
  const { parts, isDone, conversationId } = await reading;
  expect(typesOf(parts)).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'error', 'finish-step', 'finish']);
  expect(isDone).toBe(true);
  const { rows } = await database().query('select role, status from agent.messages where conversation_id = $1 order by position', [
    conversationId,
  ]);
  expect(rows).toEqual([
    { role: 'user', status: 'complete' },
    { role: 'assistant', status: 'failed' },
  ]);
  expect(provider.requests('killed apart')).toHaveLength(1);
});
