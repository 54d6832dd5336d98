import { DASHBOARD } from '../support/subgraph.ts';
import { CREATE, DELETE, openAgents, UPDATE } from './operations.ts';

const graph = await openAgents();
afterAll(() => graph.close());
const acme = await graph.seed();
const admin = graph.caller(acme.key);

const shown = {
  name: 'Zoe',
  welcomeMessage: 'Hello!',
  placeholder: 'Ask away',
  suggestedMessages: ['Opening hours?'],
  theme: { primary: '#112233' },
  branding: { poweredByVisible: true },
};
const input = { ...shown, systemPrompt: 'The secret recipe.', allowedOrigins: ['https://shop.example.com'] };
const { createAgent: zoe } = await admin.ask(CREATE, { input });

const CONFIG = `query ($publicSlug: String!) {
  widgetConfig(publicSlug: $publicSlug) {
    name welcomeMessage placeholder suggestedMessages theme branding features { voice handoff } originAllowed origin
  }
}`;
const from = (origin?: string) => graph.caller(undefined, origin === undefined ? {} : { origin });
const config = async (origin?: string) => (await from(origin).ask(CONFIG, { publicSlug: zoe.publicSlug })).widgetConfig;
const NOT_FOUND = 'NOT_FOUND: Agent not found';

test('a visitor without a key reads what the widget shows', async () => {
  expect(await config('https://shop.example.com')).toEqual({
    ...shown,
    features: { voice: false, handoff: false },
    originAllowed: true,
    origin: 'https://shop.example.com',
  });
});

test.each([
  ['https://shop.example.com', true],
  [DASHBOARD, true],
  ['https://evil.example.com', false],
  ['https://shop.example.com.evil.com', false],
  ['https://SHOP.example.com', false],
  ['http://shop.example.com', false],
  ['null', false],
])('the origin %s: allowed %s', async (origin, originAllowed) => {
  expect(await config(origin)).toMatchObject({ origin, originAllowed });
});

test('a request without an origin gets a response but may not chat', async () => {
  expect(await config()).toMatchObject({ origin: null, originAllowed: false });
});

test('a change is visible immediately', async () => {
  const { createAgent: mia } = await admin.ask(CREATE, { input: { name: 'Mia' } });
  const read = () => from().ask(CONFIG, { publicSlug: mia.publicSlug });
  expect((await read()).widgetConfig.features.voice).toBe(false);
  await admin.ask(UPDATE, { id: mia.id, input: { voiceEnabled: true, name: 'Mia II' } });
  expect((await read()).widgetConfig).toMatchObject({ name: 'Mia II', features: { voice: true } });
});

test('handoff comes with the Helpdesk module', async () => {
  const desk = await graph.seed({ modules: ['helpdesk'] });
  const { createAgent: made } = await graph.caller(desk.key).ask(CREATE, { input: { name: 'Desk' } });
  const { widgetConfig } = await from().ask(CONFIG, { publicSlug: made.publicSlug });
  expect(widgetConfig.features).toEqual({ voice: false, handoff: true });
});

test('an agent that is unknown, not public or deleted is not found', async () => {
  const { createAgent: ben } = await admin.ask(CREATE, { input: { name: 'Ben' } });
  const refusal = (publicSlug: string) => from(DASHBOARD).refusal(CONFIG, { publicSlug });
  expect(await refusal(ben.publicSlug)).toBeUndefined();
  await admin.ask(UPDATE, { id: ben.id, input: { publicAccess: false } });
  expect(await refusal(ben.publicSlug)).toBe(NOT_FOUND);
  await admin.ask(UPDATE, { id: ben.id, input: { publicAccess: true } });
  await admin.ask(DELETE, { id: ben.id });
  expect(await refusal(ben.publicSlug)).toBe(NOT_FOUND);
  for (const slug of [ben.slug, ben.id, '', '%', 'x'.repeat(10_000)]) expect(await refusal(slug)).toBe(NOT_FOUND);
});

test('the public type exposes no settings', () => {
  const type = /type WidgetConfig \{.*?\n\}/s.exec(graph.sdl)?.[0];
  expect(type).toMatch('welcomeMessage');
  expect(type).not.toMatch(/prompt|modelType|allowedOrigins|organization/i);
});
