import * as ai7 from 'ai';
import { createClient } from 'graphql-ws';
import { SignJWT } from 'jose';
import { WebSocket } from 'ws';
import { startChatProvider } from '../../support/chat-provider.ts';
import { openGateway } from '../../support/gateway.ts';
import { startToolReceiver } from '../tools/receiver.ts';
import { ORIGIN, question, seedAgent, send, textOf, visitor } from './chatting.ts';

const provider = await startChatProvider();
const receiver = await startToolReceiver();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });
afterAll(async () => {
  await gateway.stop();
  await Promise.all([provider.close(), receiver.close()]);
});
const acme = await seedAgent(gateway.url);
await acme.admin.graphql('mutation ($id: ID!, $input: NewTool!) { createTool(agentId: $id, input: $input) { id } }', {
  id: acme.agent.id,
  input: {
    ...{ name: 'my_orders', description: 'Lists them.', method: 'GET' },
    endpointUrl: `${receiver.url}/customers/{{visitor.id}}/orders?mail={{visitor.email}}`,
  },
});
const { made } = await acme.admin.graphql(
  'mutation ($id: ID!) { made: rotateSigningSecret(agentId: $id, purpose: identity) { secret } }',
  { id: acme.agent.id },
);
const sign = (sub: string, exp: string | number = '1h', secret: string = made.secret) =>
  new SignJWT({ email: `${sub}@example.com` })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(sub)
    .setExpirationTime(exp)
    .sign(new TextEncoder().encode(secret));
const expired = () => sign('c-7', Math.floor(Date.now() / 1_000) - 120);
provider.on('list my orders', (response, { messages }) => {
  const last = messages.at(-1)!;
  if (last.role !== 'tool') response.call(0, 'c1', 'my_orders', '{}').finish('tool_calls');
  else response.text(last.content!.includes('signed in on the website') ? 'Please sign in.' : 'Here they are.').finish();
});
beforeEach(() => {
  receiver.received.length = 0;
});

test.each<[string, () => Promise<string> | string | undefined, string, string | null]>([
  ['no token', () => undefined, 'none', null],
  ['a valid token', () => sign('c-7'), 'verified', null],
  ['an expired token', expired, 'expired', 'The identity token has expired.'],
  [
    'a token of another secret',
    () => sign('c-7', '1h', 'whsec_other'),
    'invalid',
    'The signature of the identity token does not fit the secret of the agent.',
  ],
])('the chat answers with %s, and states whether it is valid', async (_, tokenOf, status, error) => {
  const token = await tokenOf();
  const headers = visitor(token === undefined ? {} : { 'x-identity-token': token });
  const reply = await send(acme.widgetPath, question('list my orders'), headers);
  expect([reply.status, reply.headers.get('x-identity-status')]).toEqual([200, status]);
  const isVerified = status === 'verified';
  expect(textOf(reply.parts)).toBe(isVerified ? 'Here they are.' : 'Please sign in.');
  expect(receiver.received.map(({ url }) => url)).toEqual(isVerified ? ['/customers/c-7/orders?mail=c-7%40example.com'] : []);
  const checked = await fetch(acme.widgetPath.replace(/chat$/, 'identity'), { headers });
  expect(await checked.json()).toMatchObject({ status, error, subject: isVerified ? 'c-7' : null });
  const { conversation } = await acme.admin.graphql('query ($id: ID!) { conversation(id: $id) { verified contact { email } } }', {
    id: reply.conversationId,
  });
  expect(conversation).toEqual({ verified: isVerified, contact: isVerified ? { email: 'c-7@example.com' } : null });
});

test('a conversation goes on after a sign-in, on another device, and not without the token', async () => {
  const browser = visitor();
  const before = await send(acme.widgetPath, question('list my orders'), browser);
  expect(textOf(before.parts)).toBe('Please sign in.');
  const { conversationId, visitorId } = before;
  const token = await sign('c-8');
  const next = (headers: Record<string, string>) =>
    send(acme.widgetPath, { ...question('list my orders'), conversationId }, { ...browser, ...headers });
  const after = await next({ 'x-visitor-id': visitorId, 'x-identity-token': token });
  expect([after.conversationId, textOf(after.parts)]).toEqual([conversationId, 'Here they are.']);
  const elsewhere = await next({ 'x-visitor-id': crypto.randomUUID(), 'x-identity-token': await sign('c-8') });
  expect([elsewhere.conversationId, textOf(elsewhere.parts)]).toEqual([conversationId, 'Here they are.']);
  const strangers: Record<string, string>[] = [
    {},
    { 'x-identity-token': await expired() },
    { 'x-identity-token': await sign('c-9') },
  ];
  for (const stranger of strangers) expect((await next({ 'x-visitor-id': visitorId, ...stranger })).status).toBe(404);
});

test('a client of the AI SDK names its visitor by the headers of its transport', async () => {
  const transport = new ai7.DefaultChatTransport({
    api: acme.widgetPath,
    headers: async () => ({ ...visitor(), 'x-identity-token': await sign('c-10') }),
  });
  const messages = [{ id: 'm1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'list my orders' }] }];
  const stream = await transport.sendMessages({
    ...{ chatId: 'c1', trigger: 'submit-message', messageId: undefined, messages, abortSignal: undefined },
  });
  let last: ai7.UIMessage | undefined;
  for await (const message of ai7.readUIMessageStream({ stream })) last = message;
  expect(last!.parts.findLast(({ type }) => type === 'text')).toMatchObject({ text: 'Here they are.' });
  expect(receiver.received.map(({ headers }) => headers['x-svc-visitor'])).toEqual(['c-10']);
});

test('a WebSocket names its visitor when it connects', async () => {
  const client = createClient({
    url: `${gateway.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: class extends WebSocket {
      constructor(address: string, protocols: string) {
        super(address, protocols, { origin: ORIGIN });
      }
    },
    connectionParams: { identityToken: await sign('c-11') },
    retryAttempts: 0,
  });
  const query = `subscription ($slug: String!, $messages: [UIMessage!]!) {
    widgetChat(publicSlug: $slug, messages: $messages) { part identityStatus }
  }`;
  const variables = { slug: acme.agent.publicSlug, ...question('list my orders') };
  const events = [];
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
  for await (const { data, errors } of client.iterate<any>({ query, variables })) events.push(errors ?? data.widgetChat);
  await client.dispose();
  expect(new Set(events.map(({ identityStatus }) => identityStatus))).toEqual(new Set(['verified']));
  expect(receiver.received.map(({ headers }) => headers['x-svc-visitor'])).toEqual(['c-11']);
});
