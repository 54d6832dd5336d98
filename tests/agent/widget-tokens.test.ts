import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { startChatProvider } from '../support/chat-provider.ts';
import { openGateway } from '../support/gateway.ts';
import { duringTransaction } from '../support/rival.ts';
import { database } from '../support/seed.ts';
import { creditsOf, ORIGIN, question, seedAgent, send } from './chat/chatting.ts';

const provider = await startChatProvider();
const gateway = await openGateway({
  OPENAI_BASE_URL: provider.url,
  MODEL_REALTIME: 'talker',
  PUBLIC_URL: 'https://api.example.com',
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url, { voiceEnabled: true, systemPrompt: 'The secret recipe.' }, { modules: ['helpdesk'] });
const from = { origin: ORIGIN };
const voice = (path: string, headers: Record<string, string> = from) => send(path.replace(/chat$/, 'voice-token'), {}, headers);
async function handoff(path: string, headers: Record<string, string>, search = '') {
  const response = await fetch(path.replace(/chat$/, 'handoff-token') + search, { headers });
  return { status: response.status, body: await response.json() };
}

test('a voice token is minted at the provider, without the prompt of the agent', async () => {
  const { status, body } = await voice(acme.widgetPath);
  expect(status).toBe(200);
  expect(body).toEqual({
    token: 'ek_test',
    expiresAt: new Date(2_000_000_000_000).toISOString(),
    model: 'talker',
    url: `${provider.url.replace('http', 'ws')}/realtime?model=talker`,
  });
  expect(JSON.stringify(provider.sessions)).not.toMatch('secret recipe');
});

test('voice that is off, a wrong origin and missing credits are refused', async () => {
  const silent = await seedAgent(gateway.url);
  expect(await voice(silent.widgetPath)).toMatchObject({ status: 403, body: { message: 'Voice is not enabled for this agent.' } });
  for (const headers of [{}, { origin: 'null' }, { origin: 'https://evil.example.com' }] as Record<string, string>[])
    expect((await voice(acme.widgetPath, headers)).status).toBe(403);
  const poor = await seedAgent(gateway.url, { voiceEnabled: true }, { credits: 0 });
  expect((await voice(poor.widgetPath)).status).toBe(402);
  const hidden = await seedAgent(gateway.url, { voiceEnabled: true, publicAccess: false });
  expect((await voice(hidden.widgetPath)).status).toBe(404);
});

test('a voice token costs ten credits, within the balance and the daily budget of the agent', async () => {
  const budgeted = await seedAgent(gateway.url, { voiceEnabled: true, dailyCreditLimit: 25 }, { credits: 100 });
  const sessions = provider.sessions.length;
  const answers = await Promise.all(Array.from({ length: 4 }, () => voice(budgeted.widgetPath)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 402, 402]);
  expect(await creditsOf(budgeted.id)).toBe(80);
  const poor = await seedAgent(gateway.url, { voiceEnabled: true }, { credits: 15 });
  expect([(await voice(poor.widgetPath)).status, (await voice(poor.widgetPath)).status]).toEqual([200, 402]);
  expect(await creditsOf(poor.id)).toBe(5);
  // A refused token may have been minted, but no more than were asked for at once.
  expect(provider.sessions.length - sessions).toBeLessThanOrEqual(5);
});

test('a voice token of an agent that is deleted meanwhile is refused', async () => {
  const shop = await seedAgent(gateway.url, { voiceEnabled: true });
  const { status, body } = await duringTransaction(
    (deletion) => deletion.query('delete from agent.agents where id = $1', [shop.agent.id]),
    () => voice(shop.widgetPath),
  );
  expect([status, body.message]).toEqual([404, 'Agent not found']);
});

test('a voice token that the provider does not mint costs nothing', async () => {
  const broken = await openGateway({ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
  const shop = await seedAgent(gateway.url, { voiceEnabled: true }, { credits: 100 });
  expect((await voice(shop.widgetPath.replace(gateway.url, broken.url))).status).toBe(503);
  const { rows } = await database().query('select credits::float from identity.organizations where id = $1', [shop.id]);
  expect(rows[0].credits).toBe(100);
  await broken.stop();
});

test('a handoff token is a JWT for one conversation of the visitor', async () => {
  const first = await send(acme.widgetPath, question('hello'), from);
  const visitor = { ...from, 'x-visitor-id': first.visitorId };
  const second = await send(acme.widgetPath, question('hello'), visitor);
  const { status, body } = await handoff(acme.widgetPath, visitor, `?conversationId=${first.conversationId}`);
  expect([status, body.url]).toEqual([200, 'wss://api.example.com/graphql']);
  expect(decodeJwt(body.token)).toEqual({
    sub: first.conversationId,
    aud: 'handoff',
    visitorId: first.visitorId,
    agentId: acme.agent.id,
    organizationId: acme.id,
    version: 0,
    iat: expect.any(Number),
    exp: Date.parse(body.expiresAt) / 1_000,
  });
  expect(decodeJwt((await handoff(acme.widgetPath, visitor)).body.token).sub).toBe(second.conversationId);
});

test('nobody gets a token for the conversation of another visitor', async () => {
  const { conversationId, visitorId } = await send(acme.widgetPath, question('hello'), from);
  const search = `?conversationId=${conversationId}`;
  for (const other of [{}, { 'x-visitor-id': randomUUID() }])
    expect((await handoff(acme.widgetPath, { ...from, ...other } as Record<string, string>, search)).status).toBe(404);
  expect((await handoff(acme.widgetPath, { ...from, 'x-visitor-id': visitorId }, '?conversationId=x')).status).toBe(404);
  for (const origin of [undefined, 'null', 'https://evil.example.com', 'https://SHOP.example.com'])
    expect(await handoff(acme.widgetPath, { 'x-visitor-id': visitorId, ...(origin && { origin }) }, search)).toEqual({
      status: 403,
      body: { success: false, message: 'The origin of this page may not embed the agent.' },
    });
  const plain = await seedAgent(gateway.url);
  expect((await handoff(plain.widgetPath, { ...from, 'x-visitor-id': visitorId })).status).toBe(403);
});
