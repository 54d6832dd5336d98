import { CREATE, DELETE, openAgents, READ, UPDATE } from './operations.ts';

const graph = await openAgents();
afterAll(() => graph.close());
const acme = await graph.seed();
const other = await graph.seed();
const admin = graph.caller(acme.key);

const create = async (input: object) => (await admin.ask(CREATE, { input })).createAgent;
const update = async (id: string, input: object) => (await admin.ask(UPDATE, { id, input })).updateAgent;
const refused = (input: object) => admin.refusal(CREATE, { input: { name: 'Refused', ...input } });

describe('creating', () => {
  test('only the name is required; other fields have defaults', async () => {
    const { id, publicSlug, createdAt, updatedAt, ...rest } = await create({ name: 'Café & Küche' });
    expect(rest).toEqual({
      name: 'Café & Küche',
      slug: 'cafe-kuche',
      modelType: 'agent-chat-v1',
      systemPrompt: '',
      welcomeMessage: '',
      placeholder: '',
      suggestedMessages: [],
      temperature: 0.7,
      theme: {},
      branding: {},
      allowedOrigins: [],
      maxTokensPerMessage: 1024,
      maxRetrievalTokens: 4000,
      publicAccess: true,
      voiceEnabled: false,
    });
    expect(publicSlug).toMatch(/^cafe-kuche-[0-9a-f]{16}$/);
    expect(createdAt).toBe(updatedAt);
    expect((await admin.ask(READ, { id })).agent).toEqual({ id, publicSlug, createdAt, updatedAt, ...rest });
  });

  test('the embed snippet names the public slug', async () => {
    const { createAgent: zoe } = await admin.ask(
      'mutation ($input: NewAgent!) { createAgent(input: $input) { publicSlug embedSnippet } }',
      { input: { name: 'Snippet' } },
    );
    expect(zoe.embedSnippet).toBe(`<script src="/widget.js" data-agent="${zoe.publicSlug}" async></script>`);
  });

  test('twenty at once with one name get twenty slugs', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'Support' })));
    const numbers = Array.from({ length: 19 }, (_, index) => `support-${index + 2}`);
    expect(new Set(made.map(({ slug }) => slug))).toEqual(new Set(['support', ...numbers]));
    expect(new Set(made.map(({ publicSlug }) => publicSlug)).size).toBe(20);
  });

  test('only one of two requests for the same slug succeeds, even concurrently', async () => {
    const wanted = { name: 'Sales', slug: 'sales-desk' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => admin.refusal(CREATE, { input: wanted })));
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
    expect(new Set(answers)).toEqual(new Set([undefined, 'CONFLICT: An agent with the slug sales-desk already exists.']));
    const [elsewhere] = await Promise.all([graph.caller(other.key).ask(CREATE, { input: wanted })]);
    expect(elsewhere.createAgent.slug).toBe('sales-desk');
  });

  test('names without a Latin letter, and very long ones, get a slug too', async () => {
    expect(await create({ name: '支援' })).toMatchObject({ slug: 'agent' });
    expect(await create({ name: '!!!', slug: null })).toMatchObject({ slug: 'agent-2' });
    expect((await create({ name: `${'long '.repeat(50)}x` })).slug).toHaveLength(56);
  });

  test('all settings can be set in one request', async () => {
    const settings = {
      modelType: 'agent-chat-pro-v1',
      systemPrompt: 'Be kind.',
      suggestedMessages: ['Hello', 'Where is my order?'],
      temperature: 0,
      theme: { primary: '#123456', bubble: { side: 'left' } },
      branding: { poweredByVisible: false },
      allowedOrigins: ['https://shop.example.com', 'http://localhost:3000'],
      maxTokensPerMessage: 8000,
      maxRetrievalTokens: 0,
      publicAccess: false,
      voiceEnabled: true,
    };
    expect(await create({ name: 'All', ...settings })).toMatchObject(settings);
  });
});

describe('limits', () => {
  test.each([
    [{ name: '' }, 'name must not be empty'],
    [{ name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
    [{ slug: 'No spaces' }, 'slug must match ^[a-z0-9][a-z0-9_-]*$'],
    [{ slug: '' }, 'slug must not be empty; slug must match ^[a-z0-9][a-z0-9_-]*$'],
    [{ temperature: 2.01 }, 'temperature must be at most 2'],
    [{ temperature: -0.1 }, 'temperature must be at least 0'],
    [{ maxTokensPerMessage: 63 }, 'maxTokensPerMessage must be at least 64'],
    [{ maxTokensPerMessage: 8001 }, 'maxTokensPerMessage must be at most 8000'],
    [{ maxRetrievalTokens: 16_001 }, 'maxRetrievalTokens must be at most 16000'],
    [{ suggestedMessages: Array(21).fill('x') }, 'suggestedMessages must have at most 20 entries'],
    [{ suggestedMessages: ['ok', ''] }, 'suggestedMessages[1] must not be empty'],
    [{ theme: { css: 'x'.repeat(20_000) } }, 'theme must be at most 20000 characters of JSON'],
  ])('%j is rejected', async (input, sentence) => {
    expect(await refused(input)).toBe(`INVALID_INPUT: ${sentence}`);
  });

  test.each([
    'https://shop.example.com/',
    'https://Shop.example.com',
    'https://shop.example.com:443',
    '*',
    'null',
    'shop.example.com',
    'file://x',
    '',
  ])('%j is not a valid origin', async (origin) => {
    expect(await refused({ allowedOrigins: ['https://fine.example.com', origin] })).toBe(
      'INVALID_INPUT: allowedOrigins[1] must be an origin such as https://shop.example.com',
    );
  });

  test('an unknown model and a theme that is not an object are rejected', async () => {
    expect(await refused({ modelType: 'budget-v1' })).toMatch(/^INVALID_INPUT: .*AgentModelType/);
    expect(await refused({ theme: 'dark' })).toMatch(/^INVALID_INPUT: /);
    expect(await refused({ theme: ['dark'] })).toMatch(/^INVALID_INPUT: /);
  });

  test('values at the limits are accepted', async () => {
    const bounds = { temperature: 2, maxTokensPerMessage: 64, maxRetrievalTokens: 16_000, name: 'x'.repeat(255) };
    expect(await create(bounds)).toMatchObject(bounds);
  });
});

describe('changing', () => {
  test('absent fields stay, and null restores the default', async () => {
    const made = await create({ name: 'Before', systemPrompt: 'Be kind.', temperature: 1.5, theme: { primary: 'red' } });
    const changed = await update(made.id, { name: 'After', temperature: null, theme: null });
    expect(changed).toEqual({ ...made, name: 'After', temperature: 0.7, theme: {}, updatedAt: expect.any(String) });
    expect(Date.parse(changed.updatedAt)).toBeGreaterThan(Date.parse(made.updatedAt));
    expect((await admin.ask(READ, { id: made.id })).agent).toEqual(changed);
    expect(await update(made.id, { systemPrompt: null })).toMatchObject({ systemPrompt: '', name: 'After' });
  });

  test('the same limits apply, and the name cannot be null', async () => {
    const { id } = await create({ name: 'Bounded' });
    const refusal = (input: object) => admin.refusal(UPDATE, { id, input });
    expect(await refusal({ temperature: 3 })).toBe('INVALID_INPUT: temperature must be at most 2');
    expect(await refusal({ name: null })).toBe('INVALID_INPUT: name must not be null');
    expect(await refusal({ allowedOrigins: ['x'] })).toMatch('allowedOrigins[0] must be an origin');
    expect((await admin.ask(READ, { id })).agent).toMatchObject({ name: 'Bounded', temperature: 0.7, allowedOrigins: [] });
  });

  test('a deleted agent is gone, and cannot be deleted twice', async () => {
    const { id } = await create({ name: 'Short-lived' });
    expect((await admin.ask(DELETE, { id: id.toUpperCase() })).deleteAgent).toEqual({ id, deleted: true });
    expect(await admin.refusal(READ, { id })).toBe('NOT_FOUND: Agent not found');
    expect(await admin.refusal(DELETE, { id })).toBe('NOT_FOUND: Agent not found');
    expect(await create({ name: 'Short-lived' })).toMatchObject({ slug: 'short-lived' });
  });
});
