import { allRoutes, named } from '../rest/all-routes.ts';
import { caller } from '../support/client.ts';
import { database, seedOrganization } from '../support/seed.ts';

const acme = await seedOrganization();
const other = await seedOrganization();
const admin = caller(acme.key);
const base = `/api/${acme.slug}/agents`;
const {
  body: {
    data: { agent },
  },
} = await admin.post(base, { name: 'Zoe', systemPrompt: 'Be kind.' });
const path = `${base}/${agent.id}`;
const NOT_FOUND = { status: 404, body: { success: false, message: 'Agent not found' } };

test('an agent is created with the documented fields, and is read with all of its fields', async () => {
  const sent = {
    name: 'Café desk',
    slug: 'cafe',
    systemPrompt: 'Be kind.',
    welcomeMessage: 'Hello!',
    modelType: 'agent-chat-pro-v1',
  };
  const created = await admin.post(base, sent);
  const { id } = created.body.data.agent;
  const record = {
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ...sent,
    publicSlug: expect.stringMatching(/^cafe-[0-9a-f]{16}$/),
    placeholder: '',
    suggestedMessages: [],
    temperature: 0.7,
    theme: {},
    branding: {},
    allowedOrigins: [],
    maxTokensPerMessage: 1_024,
    maxRetrievalTokens: 4_000,
    publicAccess: true,
    voiceEnabled: false,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  };
  expect([created.status, created.body]).toEqual([201, { success: true, data: { agent: record } }]);
  const read = await admin.get(`${base}/${id}`);
  expect([read.status, read.body]).toEqual([200, created.body]);

  const taken = { success: false, message: 'An agent with the slug cafe already exists.' };
  expect(await admin.post(base, sent)).toMatchObject({ status: 409, body: taken });
  for (const body of [{}, { name: null }, { name: 5 }])
    expect(await admin.post(base, body)).toMatchObject({
      status: 400,
      body: { success: false, message: expect.stringMatching(/^Invalid request body: .*name/) },
    });
  await admin.send('DELETE', `${base}/${id}`);
});

test('the list has the five documented fields of each agent, by name', async () => {
  const own = await seedOrganization();
  const { get, post } = caller(own.key);
  expect((await get(`/api/${own.slug}/agents`)).body).toEqual({ success: true, data: { agents: [] } });
  const made = [];
  for (const name of ['Zoe', 'Ada']) made.push((await post(`/api/${own.id}/agents`, { name })).body.data.agent);
  const { status, body } = await get(`/api/${own.slug}/agents`);
  const agents = made.map(({ id, name, slug, publicSlug, modelType }) => ({ id, name, slug, publicSlug, modelType }));
  expect([status, body]).toEqual([200, { success: true, data: { agents: agents.reverse() } }]);
});

test('a change keeps absent fields, and null restores the default', async () => {
  const change = { temperature: 0.2, theme: { primary: '#123' }, publicAccess: false, unknown: 'ignored' };
  const changed = await admin.send('PATCH', path, change);
  const { unknown: _, ...known } = change;
  expect(changed).toMatchObject({
    status: 200,
    body: { success: true, data: { agent: { id: agent.id, systemPrompt: 'Be kind.', ...known } } },
  });
  const restored = await admin.send('PATCH', path, { temperature: null, publicAccess: true });
  expect(restored.body.data.agent).toMatchObject({ temperature: 0.7, publicAccess: true, theme: { primary: '#123' } });
  expect(await admin.send('PATCH', path)).toMatchObject({ status: 200, body: { data: { agent: { temperature: 0.7 } } } });
});

test.each([
  [{ temperature: 3 }, 'temperature must be at most 2'],
  [{ name: '' }, 'name must not be empty'],
  [{ name: null }, 'name must not be null'],
  [{ name: 'a\0b' }, /^Invalid request body: name/],
  [{ modelType: 'budget-v1' }, /AgentModelType|modelType/],
  [{ allowedOrigins: ['*'] }, /allowedOrigins\[0\] must be an origin/],
  [{ theme: 'dark' }, /theme/],
  [[], 'the body must be a JSON object'],
])('the change %j is rejected', async (change, message) => {
  const answer = await admin.send('PATCH', path, change);
  expect(answer).toMatchObject({ status: 400, body: { success: false } });
  expect(answer.body.message).toMatch(message);
});

test('other organizations and ids of no agent are not found', async () => {
  const stranger = caller(other.key);
  const [elsewhere, ids] = [`/api/${other.slug}/agents`, [agent.id, 'no-id', '00000000-0000-0000-0000-000000000000']];
  for (const id of ids) {
    expect(await stranger.get(`${elsewhere}/${id}`)).toMatchObject(NOT_FOUND);
    expect(await stranger.send('PATCH', `${elsewhere}/${id}`, { name: 'Mine' })).toMatchObject(NOT_FOUND);
    expect(await stranger.send('DELETE', `${elsewhere}/${id}`)).toMatchObject(NOT_FOUND);
  }
  expect(await stranger.get(path)).toMatchObject({ status: 403 });
});

const adminRows = named(allRoutes.filter(({ surface }) => surface.name === 'admin'));
const roles = { admin: (await acme.addMember('admin')).key, member: (await acme.addMember('member')).key };

test.each(adminRows)('$name is for owners and admins', async ({ route: { method, path: template, row } }) => {
  const ids = { ...row.example.params, organization: acme.slug, agentId: agent.id } as Record<string, string>;
  const place = template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!);
  const ask = (key?: string, body = row.example.body, url = place) =>
    caller(key).send(method, `${url}?${new URLSearchParams(row.example.query)}`, body);
  expect(await ask(roles.member)).toMatchObject({
    status: 403,
    body: { success: false, message: 'This needs the role admin in the organization.' },
  });
  expect(await ask(undefined)).toMatchObject({ status: 401, body: { success: false, message: 'Missing API Key' } });
  // Invalid input, so that the roles with access change nothing.
  const invalid = row.example.body && { name: 5, messages: 5, params: 5 };
  const unknown = place === path && method === 'DELETE' ? `${base}/no-id` : place;
  for (const key of [acme.key, roles.admin]) expect([200, 400, 404]).toContain((await ask(key, invalid, unknown)).status);
});

test('a deleted agent is gone with its tools and conversations, and the secrets of the organization stay', async () => {
  const made = await admin.post(base, { name: 'Short-lived' });
  const own = `${base}/${made.body.data.agent.id}`;
  await admin.post(`${own}/secrets`, { name: 'STAYS', value: 'x' });
  const tool = {
    name: 'look',
    description: 'Looks.',
    endpointUrl: 'https://example.com',
    headersTemplate: { a: '{{secret:STAYS}}' },
  };
  expect(await admin.post(`${own}/tools`, tool)).toMatchObject({ status: 201 });
  const conversation = `insert into agent.conversations (id, organization_id, agent_id, visitor_id, channel, status)
    values (gen_random_uuid(), $1, $2, 'v', 'widget', 'open') returning id`;
  const { rows } = await database().query(conversation, [acme.id, made.body.data.agent.id]);
  expect(await admin.send('DELETE', own)).toMatchObject({
    status: 200,
    body: { success: true, data: { id: made.body.data.agent.id, deleted: true } },
  });
  expect(await admin.get(own)).toMatchObject(NOT_FOUND);
  expect(await admin.get(`${own}/tools`)).toMatchObject(NOT_FOUND);
  expect((await database().query('select from agent.conversations where id = $1', [rows[0].id])).rowCount).toBe(0);
  const { body } = await admin.get(`${path}/secrets`);
  expect(body.data.secrets.map(({ name }: { name: string }) => name)).toEqual(['STAYS']);
  expect(await admin.send('DELETE', `${path}/secrets?id=${body.data.secrets[0].id}`)).toMatchObject({ status: 200 });
});
