import { randomUUID } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { signAgentToken } from '../../../platform/identity/callers.ts';
import { Secrets } from '../../../platform/secrets/index.ts';
import { freePort } from '../../../start/servers/ports.ts';
import { catalogOperations } from '../../../subgraphs/agent/catalog/catalog-tools.ts';
import { startChatProvider } from '../../support/chat-provider.ts';
import { caller } from '../../support/client.ts';
import { environmentOf } from '../../support/environment.ts';
import { startForwarder } from '../../support/forwarder.ts';
import { openGateway } from '../../support/gateway.ts';
import { database } from '../../support/seed.ts';
import { startSubgraph } from '../../support/system.ts';
import { until } from '../../support/until.ts';
import { addProduct } from '../catalog-data.ts';
import { ORIGIN, question, read, seedAgent, send, textOf, typesOf } from './chatting.ts';

const SECRET = 'known-to-the-processes-only';
const provider = await startChatProvider();
const gatewayPort = await freePort();
/** The way of the agents to the gateway. */
const toGateway = await startForwarder('127.0.0.1', gatewayPort);
const GATEWAY_URL = `http://127.0.0.1:${toGateway.port}`;
const startAgents = (port = '0') =>
  startSubgraph('agent', {
    PORT: port,
    SUBGRAPH_SECRET: SECRET,
    OPENAI_BASE_URL: provider.url,
    GATEWAY_URL,
    CHAT_LIMIT_VISITOR: '2',
  });
let agents = await startAgents();
const { url } = agents.addresses;
const gateway = await openGateway({ PORT: String(gatewayPort), AGENT_URL: url!, SUBGRAPH_SECRET: SECRET });
afterAll(async () => {
  await gateway.stop();
  await agents.stop();
  await Promise.all([provider.close(), toGateway.cut()]);
});
const acme = await seedAgent(gateway.url, { catalogAccess: true });
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

test.each(['chat', 'widgetChat'])(
  'a gateway that subscribes to %s again before the first event gets the running reply',
  async (field) => {
    const gate = Promise.withResolvers<void>();
    provider.on(`again ${field}`, async (response) => {
      await gate.promise;
      response.text('Once').finish();
    });
    const isWidget = field === 'widgetChat';
    const start = isWidget ? { origin: ORIGIN } : withKey;
    const { conversationId, visitorId } = await send(isWidget ? acme.widgetPath : acme.adminPath, question('hello'), start);
    const address = new URL('/graphql', url!);
    address.protocol = 'ws:';
    const own = isWidget ? `publicSlug: "${acme.agent.publicSlug}", visitorId: "${visitorId}"` : `agentId: "${acme.agent.id}"`;
    const query = `subscription ($m: [UIMessage!]!) { ${field}(${own}, conversationId: "${conversationId}", messages: $m) { messageId part } }`;
    const payload = {
      query,
      variables: { m: question(`again ${field}`).messages },
      extensions: { headers: { ...start, 'x-request-id': randomUUID() } },
    };
    const client = createClient({
      url: address.href,
      webSocketImpl: WebSocket,
      connectionParams: { secret: SECRET },
      retryAttempts: 0,
    });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
    const subscribe = () => client.iterate<any>(payload);
    const { value: begun } = await subscribe()[Symbol.asyncIterator]().next();
    const parts = [];
    for await (const { data, errors } of subscribe()) {
      gate.resolve();
      parts.push(errors ?? data[field]);
    }
    await client.dispose();
    expect(new Set(parts.map((each) => each.messageId))).toEqual(new Set([begun!.data[field].messageId]));
    expect(textOf(parts.map(({ part }) => part))).toBe('Once');
    expect(provider.requests(`again ${field}`)).toHaveLength(1);
  },
);

describe('the catalog', () => {
  beforeAll(async () => {
    await addProduct(acme, { sku: 'DD18', name: 'Cordless drill' }, { weight: { value: 1.6, confidence: 95, snippet: '1.6 kg' } });
    provider.on('weight', (response, { messages }) => {
      if (messages.at(-1)!.role === 'tool') response.text('Done.').finish();
      else response.call(0, 'c1', 'read_product', '{"sku":"DD18"}').finish('tool_calls');
    });
  });
  const ask = async () => (await send(acme.widgetPath, question('weight?'), { origin: ORIGIN })).parts;

  test('a separate subgraph reads it through the gateway', async () => {
    const value = { attribute: 'weight', value: 1.6, citation: 2, confidence: 95, snippet: '1.6 kg' };
    expect(await ask()).toContainEqual(expect.objectContaining({ output: expect.objectContaining({ values: [value] }) }));
  });

  test('while the gateway cannot be reached, the call fails and the reply continues', async () => {
    await toGateway.cut();
    const parts = await ask();
    await toGateway.restore();
    expect(parts).toContainEqual(expect.objectContaining({ errorText: 'The catalog is not available at the moment.' }));
    expect(textOf(parts)).toBe('Done.');
  });

  test('the gateway runs only the operations of agents, for holders of the secret and a token', async () => {
    const organizationId = acme.id;
    const token = await signAgentToken(new Secrets([environmentOf().SECRETS_KEY!]), { organizationId, agentId: acme.agent.id });
    const run = async (query: unknown, headers: Record<string, string>) => {
      const body = { query, variables: { sku: 'DD18' } };
      const answer = await caller(undefined, { url: gateway.url }).post('/internal/agent-graph', body, headers);
      return [answer.status, answer.body.errors?.[0].extensions.code];
    };
    const secret = { 'x-subgraph-secret': SECRET };
    const { read } = catalogOperations;
    expect(await run(read, { ...secret, 'x-agent-token': token })).toEqual([200, undefined]);
    expect(await run(read, secret)).toEqual([200, 'MISSING_KEY']);
    expect(await run(read, { ...secret, 'x-agent-token': `${token}x` })).toEqual([200, 'INVALID_KEY']);
    // A valid key is no token.
    expect(await run(read, { ...secret, ...withKey })).toEqual([200, 'MISSING_KEY']);
    expect(await run(read, { 'x-agent-token': token })).toEqual([403, 'FORBIDDEN']);
    expect(await run(read, { 'x-agent-token': token, 'x-subgraph-secret': 'wrong' })).toEqual([403, 'FORBIDDEN']);
    for (const query of ['{ products { nodes { sku } } }', `${read} `, null, 5])
      expect(await run(query, { ...secret, 'x-agent-token': token })).toEqual([403, 'FORBIDDEN']);
  });
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
