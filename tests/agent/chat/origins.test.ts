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
    'access-control-expose-headers': 'X-Visitor-Id, X-Conversation-Id, Retry-After',
    'cross-origin-resource-policy': 'cross-origin',
  });
});
