import { startChatProvider } from '../../support/chat-provider.ts';
import { openGateway } from '../../support/gateway.ts';
import { database } from '../../support/seed.ts';
import { ORIGIN, question, read, seedAgent, send, textOf, visitor } from './chatting.ts';

const DASHBOARD = 'https://dashboard.example.com';
const provider = await startChatProvider();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url, DASHBOARD_ORIGIN: DASHBOARD, TRUST_PROXY: 'true' });
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url);
const REFUSED = { success: false, message: 'The origin of this page may not embed the agent.' };

describe('origins', () => {
  test.each([ORIGIN, DASHBOARD])('%s may chat', async (origin) => {
    const reply = await send(acme.widgetPath, question('hello'), visitor({ origin }));
    expect(reply.status).toBe(200);
    expect(textOf(reply.parts)).toBe('Echo: hello');
  });

  test.each([
    undefined,
    'null',
    '',
    'https://evil.example.com',
    'https://SHOP.example.com',
    'https://shop.example.com/',
    'https://shop.example.com:443',
    'https://shop.example.com.',
    'https://sub.shop.example.com',
    'https://shop.example.com.evil.com',
    'http://shop.example.com',
    'https://shop.example.com, https://evil.example.com',
  ])('%s may not, and nothing is stored', async (origin) => {
    const count = async () =>
      (await database().query('select count(*) from agent.messages where organization_id = $1', [acme.id])).rows;
    const before = await count();
    const { origin: _, ...headers } = visitor();
    const reply = await send(acme.widgetPath, question('hello'), origin === undefined ? headers : { ...headers, origin });
    expect([reply.status, reply.body]).toEqual([403, REFUSED]);
    expect(await count()).toEqual(before);
  });

  test('all four endpoints of an agent that is unknown or not public are not found, from any origin', async () => {
    const hidden = await seedAgent(gateway.url, { publicAccess: false, voiceEnabled: true }, { modules: ['helpdesk'] });
    for (const path of [hidden.widgetPath, acme.widgetPath.replace(acme.agent.publicSlug, 'nobody')]) {
      for (const origin of [ORIGIN, DASHBOARD, 'https://evil.example.com']) {
        const answers = [
          await send(path, question('hello'), visitor({ origin })),
          await send(path.replace(/chat$/, 'voice-token'), {}, visitor({ origin })),
          await read(await fetch(path.replace(/chat$/, 'config'), { headers: visitor({ origin }) })),
          await read(await fetch(path.replace(/chat$/, 'handoff-token'), { headers: visitor({ origin }) })),
        ];
        for (const { status, body } of answers)
          expect([status, body]).toEqual([404, { success: false, message: 'Agent not found' }]);
      }
    }
  });

  test.each([
    [ORIGIN, true],
    [DASHBOARD, true],
    ['https://evil.example.com', false],
    [undefined, false],
  ])('config answers a page of %s, and states whether it may chat', async (origin, originAllowed) => {
    const { origin: _, ...headers } = visitor();
    const response = await fetch(acme.widgetPath.replace(/chat$/, 'config'), {
      headers: { ...headers, ...(origin && { origin }) },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(await response.json()).toEqual({
      name: 'Zoe',
      welcomeMessage: '',
      placeholder: '',
      suggestedMessages: [],
      theme: {},
      branding: {},
      features: { voice: false, handoff: false },
      originAllowed,
      origin: origin ?? null,
    });
  });

  // Browsers send no `Origin` with reads of their own origin.
  test('pages of the dashboard read beside the API, and pages of other sites do not', async () => {
    const desk = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });
    const from = (host: string, site: string) => {
      const { origin: _, ...headers } = visitor({ 'x-forwarded-host': host, 'sec-fetch-site': site });
      return headers;
    };
    const get = async (path: string, headers: Record<string, string>) =>
      read(await fetch(desk.widgetPath.replace(/chat$/, path), { headers }));
    const page = from('dashboard.example.com', 'same-origin');
    expect((await get('config', page)).body).toMatchObject({ originAllowed: true, origin: DASHBOARD });
    const { visitorId, conversationId } = await send(desk.widgetPath, question('hello'), { ...page, origin: DASHBOARD });
    const paths = ['forms', 'tickets', 'handoff-token', `chat/${conversationId}`];
    const statusesOf = async (headers: Record<string, string>) => {
      const answers = await Promise.all(paths.map((path) => get(path, { ...headers, 'x-visitor-id': visitorId })));
      return answers.map(({ status }) => status);
    };
    expect(await statusesOf(page)).toEqual([200, 200, 200, 200]);
    for (const others of [
      from('api.example.com', 'same-origin'),
      from('dashboard.example.com', 'same-site'),
      from('dashboard.example.com', 'cross-site'),
      from('dashboard.example.com', 'none'),
    ])
      expect(await statusesOf(others)).toEqual([403, 403, 403, 403]);
    expect((await send(desk.widgetPath, question('hello'), page)).status).toBe(403);
  });

  test('a key of the organization does not replace the origin', async () => {
    const { origin: _, ...headers } = visitor({ 'x-api-key': acme.key });
    expect((await send(acme.widgetPath, question('hello'), headers)).status).toBe(403);
  });
});

test('browsers may call it from any page, and may read the ids', async () => {
  const preflight = await fetch(acme.widgetPath, {
    method: 'OPTIONS',
    headers: visitor({ 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,x-visitor-id' }),
  });
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': expect.stringMatching(/content-type, x-visitor-id/),
  });
  const config = await fetch(acme.widgetPath.replace(/chat$/, 'config'), { method: 'OPTIONS', headers: visitor() });
  expect([config.status, config.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, HEAD']);
  const reply = await send(acme.widgetPath, question('hello'), visitor());
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers':
      'X-Visitor-Id, X-Conversation-Id, X-Identity-Status, Retry-After, X-Error-Code, X-Unknown-Parameters',
    'cross-origin-resource-policy': 'cross-origin',
  });
});
