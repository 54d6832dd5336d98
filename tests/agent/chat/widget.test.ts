import { randomUUID } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startChatProvider } from '../../support/chat-provider.ts';
import { openGateway } from '../../support/gateway.ts';
import { database } from '../../support/seed.ts';
import { startGateway } from '../../support/system.ts';
import { ORIGIN, question, seedAgent, send, textOf, visitor } from './chatting.ts';

const provider = await startChatProvider();
const environment = { OPENAI_BASE_URL: provider.url, TRUST_PROXY: 'true', CHAT_LIMIT_VISITOR: '5', CHAT_LIMIT_IP: '8' };
const gateway = await openGateway(environment);
const second = await startGateway(environment);
afterAll(async () => {
  await Promise.all([gateway.stop(), second.stop()]);
  await provider.close();
});
const acme = await seedAgent(gateway.url, { systemPrompt: 'Be kind.' });

/** The events of a chat over a WebSocket that a page of this origin opens, after the given part. */
async function overSocket(origin: string, after = 0) {
  class Socket extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols, { origin, headers: { 'x-forwarded-for': '203.0.114.1', 'x-forwarded-proto': 'https' } });
    }
  }
  const query = `subscription ($slug: String!, $m: [UIMessage!]!, $after: Int!) {
    widgetChat(publicSlug: $slug, messages: $m, after: $after) { part visitorId }
  }`;
  const variables = { slug: acme.agent.publicSlug, m: question(`resumed ${after}`).messages, after };
  const client = createClient({ url: `${gateway.url.replace('http', 'ws')}/graphql`, webSocketImpl: Socket, retryAttempts: 0 });
  try {
    const received = [];
    for await (const event of client.iterate<{ widgetChat: { part: { type: string } } }>({ query, variables }))
      received.push(event);
    return received;
  } finally {
    await client.dispose();
  }
}

describe('visitors', () => {
  test('a visitor continues a conversation with both ids, and only with both', async () => {
    provider.on('visitor', (response, _, times) => response.text(`Answer ${times}`).finish());
    const first = await send(acme.widgetPath, question('visitor one'), visitor());
    expect(first.visitorId).toMatch(/^[0-9a-f-]{36}$/);
    const { visitorId, conversationId } = first;
    const body = { ...question('visitor two'), conversationId };
    const next = await send(acme.widgetPath, body, visitor({ 'x-visitor-id': visitorId.toUpperCase() }));
    expect([next.visitorId, next.conversationId]).toEqual([visitorId, conversationId]);
    expect(provider.requests('visitor').at(-1)!.messages).toHaveLength(4);
    for (const other of [{}, { 'x-visitor-id': randomUUID() }] as Record<string, string>[]) {
      const { status, body: answer } = await send(acme.widgetPath, body, visitor(other));
      expect([status, answer.message]).toEqual([404, 'Conversation not found']);
      const stream = await fetch(`${acme.widgetPath}/${conversationId}/stream`, { headers: visitor(other) });
      expect(stream.status).toBe(404);
    }
  });

  test('a visitor reads the own conversation by its id or the chat id, and nobody else does', async () => {
    const { visitorId, conversationId } = await send(
      acme.widgetPath,
      { ...question('mine', { id: 'm-1' }), id: 'my-chat' },
      visitor(),
    );
    const readBy = async (id: string, headers: Record<string, string>) => {
      const response = await fetch(`${acme.widgetPath}/${id}`, { headers: visitor(headers) });
      return { status: response.status, body: await response.json() };
    };
    for (const id of [conversationId, 'my-chat']) {
      const { status, body } = await readBy(id, { 'x-visitor-id': visitorId });
      expect([status, body.id, body.handoffStatus, body.operatorName]).toEqual([200, conversationId, null, null]);
      expect(body.messages).toMatchObject([
        { clientId: 'm-1', position: 1, role: 'user', status: 'complete', text: 'mine', rating: null },
        { clientId: null, position: 2, role: 'assistant', status: 'complete', text: 'Echo: mine' },
      ]);
      expect(Object.keys(body.messages[1]).sort()).toEqual([
        'authorName',
        'clientId',
        'createdAt',
        'id',
        'parts',
        'position',
        'rating',
        'role',
        'status',
        'text',
      ]);
    }
    for (const id of [conversationId, 'my-chat', '%00', randomUUID()])
      for (const other of [{}, { 'x-visitor-id': randomUUID() }] as Record<string, string>[])
        expect([400, 404]).toContain((await readBy(id, other)).status);
    expect((await readBy(conversationId, { 'x-visitor-id': visitorId, origin: 'https://evil.example.com' })).status).toBe(403);
  });

  test('a visitor reads the newest messages up to a number of bytes', async () => {
    const { visitorId, conversationId } = await send(acme.widgetPath, question('many results'), visitor());
    const add = (position: number, megabytes: number) =>
      database().query(
        `insert into agent.messages (id, organization_id, conversation_id, position, role, status, text, parts)
         values (gen_random_uuid(), $1, $2, $3, 'assistant', 'complete', 'Found.',
                 jsonb_build_array(jsonb_build_object('type', 'tool-find', 'output', repeat('a', $4 * 1000000))))`,
        [acme.id, conversationId, position, megabytes],
      );
    const readPositions = async () => {
      const headers = visitor({ 'x-visitor-id': visitorId });
      const response = await fetch(`${acme.widgetPath}/${conversationId}`, { headers });
      const { messages } = (await response.json()) as { messages?: { position: number }[] };
      return messages?.map(({ position }) => position) ?? response.status;
    };
    expect(await readPositions()).toEqual([1, 2]);
    for (const position of [3, 4, 5]) await add(position, 2);
    expect(await readPositions()).toEqual([4, 5]);
    await add(6, 5);
    expect(await readPositions()).toEqual([6]);
    await add(7, 40);
    expect(await readPositions()).toBe(400);
  });

  test('a visitor cannot read the conversation of an admin, nor one with another agent', async () => {
    const asAdmin = await send(acme.adminPath, question('hello'), { 'x-api-key': acme.key, ...visitor() });
    const body = { ...question('hello'), conversationId: asAdmin.conversationId };
    expect((await send(acme.widgetPath, body, visitor({ 'x-visitor-id': asAdmin.visitorId }))).status).toBe(404);
    const other = await seedAgent(gateway.url);
    const mine = await send(other.widgetPath, question('hello'), visitor());
    const elsewhere = { ...question('hello'), conversationId: mine.conversationId };
    expect((await send(acme.widgetPath, elsewhere, visitor({ 'x-visitor-id': mine.visitorId }))).status).toBe(404);
  });

  test.each(['1', 'me', 'x'.repeat(500), '00000000-0000-0000-0000-000000000000', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'])(
    'the visitor id %s is refused, because it could be guessed',
    async (id) => {
      const { status, body } = await send(acme.widgetPath, question('hello'), visitor({ 'x-visitor-id': id }));
      expect([status, body.message]).toEqual([400, expect.stringMatching('the visitor id must be a UUID')]);
    },
  );

  test('a visitor chats over GraphQL subscriptions without a key, from an allowed origin only', async () => {
    const parts = (await overSocket(ORIGIN)).map(({ data }) => data!.widgetChat.part.type);
    expect([parts[0], parts.at(-1)]).toEqual(['start', 'finish']);
    expect((await overSocket('https://evil.example.com'))[0]!.errors![0]!.extensions!.code).toBe('FORBIDDEN');
  });

  test('a chat id alone does not continue a conversation of another visitor', async () => {
    const body = { ...question('hello'), id: 'default' };
    const [first, other] = [await send(acme.widgetPath, body, visitor()), await send(acme.widgetPath, body, visitor())];
    expect(other.conversationId).not.toBe(first.conversationId);
  });
});

describe('limits', () => {
  test('a visitor gets 429 with Retry-After, counted across processes', async () => {
    const headers = { 'x-visitor-id': randomUUID() };
    const ask = (url: string) => send(acme.widgetPath.replace(gateway.url, url), question('hello'), visitor(headers));
    const statuses = [];
    for (const url of [gateway.url, second.url, gateway.url, second.url, gateway.url]) statuses.push((await ask(url)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    for (const url of [gateway.url, second.url]) {
      const { status, body, headers } = await ask(url);
      expect([status, body]).toEqual([429, { success: false, message: 'Rate limit exceeded' }]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
  });

  test('all visitors of one address share its limit', async () => {
    const address = { 'x-forwarded-for': '198.51.100.7' };
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const url = index % 2 === 0 ? gateway.url : second.url;
        return send(acme.widgetPath.replace(gateway.url, url), question('hello'), visitor(address));
      }),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(4);
  });

  test('refused messages of one visitor do not count against the limit of the address', async () => {
    const address = { 'x-forwarded-for': '198.51.100.8' };
    const eager = { ...address, 'x-visitor-id': randomUUID() };
    const statusOf = async (headers: Record<string, string>) =>
      (await send(acme.widgetPath, question('hello'), visitor(headers))).status;
    const statuses = [];
    for (const headers of [...Array(9).fill(eager), ...Array(4).fill(address)]) statuses.push(await statusOf(headers));
    expect(statuses).toEqual([...Array(5).fill(200), ...Array(4).fill(429), 200, 200, 200, 429]);
  });

  test('an address beyond its limit cannot store counters of invented visitors', async () => {
    const address = { 'x-forwarded-for': '198.51.100.9' };
    for (let at = 0; at < 8; at += 1) await send(acme.widgetPath, question('hello'), visitor(address));
    const invented = randomUUID();
    const { status } = await send(acme.widgetPath, question('hello'), visitor({ ...address, 'x-visitor-id': invented }));
    const { rows } = await database().query('select key from identity.rate_limits where key like $1', [`%${invented}`]);
    expect([status, rows]).toEqual([429, []]);
  });

  test('a visitor cannot pass the limit by pretending to resume', async () => {
    const [first] = await overSocket(ORIGIN, 1);
    expect(first!.errors![0]!.extensions!.code).toBe('CONFLICT');
    const { rows } = await database().query('select text from agent.messages where organization_id = $1', [acme.id]);
    expect(rows.map(({ text }) => text)).not.toContain('resumed 1');
  });

  test('the daily budget of an agent keeps visitors from spending the credits of the organization', async () => {
    const org = await seedAgent(gateway.url, { dailyCreditLimit: 2 }, { credits: 100 });
    const texts = [];
    for (let sent = 0; sent < 4; sent += 1) texts.push(textOf((await send(org.widgetPath, question('hello'), visitor())).parts));
    expect(texts.map((text) => text.startsWith('Echo'))).toEqual([true, true, false, false]);
    const { rows } = await database().query('select credits::float from identity.organizations where id = $1', [org.id]);
    expect(rows[0].credits).toBe(98);
    const asAdmin = await send(org.adminPath, question('hello'), { 'x-api-key': org.key, ...visitor() });
    expect(textOf(asAdmin.parts)).toMatch('Echo');
  });

  test('a failed reply does not count against the daily budget', async () => {
    provider.on('budget-fault', (response) => response.refuse(401));
    const org = await seedAgent(gateway.url, { dailyCreditLimit: 1 }, { credits: 100 });
    await send(org.widgetPath, question('budget-fault'), visitor());
    expect(textOf((await send(org.widgetPath, question('hello'), visitor())).parts)).toMatch('Echo');
  });
});
