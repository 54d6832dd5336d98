import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';

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

test('an agent is read with all of its fields', async () => {
  const answer = await admin.get(path);
  expect(answer).toMatchObject({ status: 200, body: { success: true, data: { agent } } });
  expect(Object.keys(answer.body.data.agent)).toHaveLength(19);
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

test('members without a role may not read or change', async () => {
  const member = caller((await acme.addMember('member')).key);
  for (const method of ['GET', 'PATCH', 'DELETE'])
    expect(await member.send(method, path, method === 'PATCH' ? {} : undefined)).toMatchObject({
      status: 403,
      body: { success: false },
    });
  expect(await caller(undefined).get(path)).toMatchObject({ status: 401, body: { message: 'Missing API Key' } });
});

test('a deleted agent is gone with its tools, and the secrets of the organization stay', async () => {
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
  expect(await admin.send('DELETE', own)).toMatchObject({
    status: 200,
    body: { success: true, data: { id: made.body.data.agent.id, deleted: true } },
  });
  expect(await admin.get(own)).toMatchObject(NOT_FOUND);
  expect(await admin.get(`${own}/tools`)).toMatchObject(NOT_FOUND);
  const { body } = await admin.get(`${path}/secrets`);
  expect(body.data.secrets.map(({ name }: { name: string }) => name)).toEqual(['STAYS']);
  expect(await admin.send('DELETE', `${path}/secrets?id=${body.data.secrets[0].id}`)).toMatchObject({ status: 200 });
});
