import { recordStart, sweepCalls } from '../../../subgraphs/agent/tool-calls/service.ts';
import { Tool } from '../../../subgraphs/agent/tools/entity.ts';
import { caller } from '../../support/client.ts';
import { database, seedOrganization } from '../../support/seed.ts';
import { openInProcess } from '../in-process.ts';
import { seedConversation } from '../seed-conversation.ts';

const acme = await seedOrganization();
const other = await seedOrganization();
const admin = caller(acme.key);
const base = `/api/${acme.slug}/agents`;
const agentId = (await admin.post(base, { name: 'Zoe' })).body.data.agent.id as string;
const path = `${base}/${agentId}/secrets`;
const own = await openInProcess();
afterAll(() => own.close());

const create = async (name: string, value = 'a-secret-value') =>
  (await admin.post(path, { name, value })).body.data.secret.id as string;
const tool = (name: string, headersTemplate: object) => ({
  name,
  description: 'Uses it.',
  endpointUrl: 'https://example.com',
  headersTemplate,
});

test('a secret is created and listed without its value', async () => {
  const made = await admin.post(path, { name: 'ALPHA_1', value: 'the-value-of-alpha' });
  expect(made).toMatchObject({ status: 201, body: { success: true } });
  const { secret } = made.body.data;
  expect(secret).toEqual({
    id: expect.any(String),
    name: 'ALPHA_1',
    maskedValue: '••••••••',
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const list = await admin.get(path);
  expect(list).toMatchObject({ status: 200, body: { success: true, data: { secrets: [secret] } } });
  const { rows } = await database().query('select sealed from agent.secrets where id = $1', [secret.id]);
  expect(rows[0].sealed.toString('latin1')).not.toContain('alpha');
});

test.each([
  [{ name: 'lower', value: 'x' }, 'name must match ^[A-Z][A-Z0-9_]*$'],
  [{ name: '1ST', value: 'x' }, 'name must match'],
  [{ name: 'A'.repeat(65), value: 'x' }, 'name must be at most 64 characters'],
  [{ name: 'BAD', value: '' }, 'value must not be empty'],
  [{ name: 'BAD', value: 'x'.repeat(8_193) }, 'value must be at most 8192 characters'],
  [{ name: 'BAD', value: 7 }, 'value'],
  [{ name: 'BAD' }, 'value'],
  [{ value: 'x' }, 'name'],
  [{ name: 'BAD', value: 'a\0' }, 'value'],
  [{ name: 'BAD', value: '\ud800' }, 'value'],
])('%j is rejected', async (input, message) => {
  const { status, body } = await admin.post(path, input);
  expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
});

test('a name is taken once per organization, also when created at once', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => admin.post(path, { name: 'TWICE', value: 'x'.repeat(8_192) })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 409)!.body.message).toBe('A secret with the name TWICE already exists.');
  const stranger = caller(other.key);
  const elsewhere = (await stranger.post(`/api/${other.slug}/agents`, { name: 'Ben' })).body.data.agent.id;
  expect(await stranger.post(`/api/${other.slug}/agents/${elsewhere}/secrets`, { name: 'TWICE', value: 'x' })).toMatchObject({
    status: 201,
  });
});

test('a repeated Idempotency-Key returns the same secret', async () => {
  const send = () => admin.post(path, { name: 'ONCE', value: 'x' }, { 'idempotency-key': 'once' });
  const [first, second] = [await send(), await send()];
  expect(first.status).toBe(201);
  expect(second.body).toEqual(first.body);
});

test('the value is replaced by GraphQL, and never returned', async () => {
  const id = await create('REPLACED');
  const mutation =
    'mutation ($id: ID!, $value: String!) { updateSecret(id: $id, input: { value: $value }) { id name maskedValue createdAt updatedAt } }';
  const { updateSecret } = await admin.graphql(mutation, { id, value: 'new' });
  expect(updateSecret).toMatchObject({ id, name: 'REPLACED', maskedValue: '••••••••' });
  expect(Date.parse(updateSecret.updatedAt)).toBeGreaterThan(Date.parse(updateSecret.createdAt));
  expect(await admin.refusal(mutation, { id, value: '' })).toMatchObject({ code: 'INVALID_INPUT' });
  expect(await caller(other.key).refusal(mutation, { id, value: 'x' })).toEqual({ code: 'NOT_FOUND', message: 'Secret not found' });
});

test('a secret that tools and MCP servers use cannot be deleted, and tells where it is used', async () => {
  const id = await create('NEEDED');
  const { body } = await admin.post(`${base}/${agentId}/tools`, tool('uses_it', { a: '{{secret:NEEDED}}' }));
  const server = 'mutation ($agentId: ID!, $input: NewMcpServer!) { createMcpServer(agentId: $agentId, input: $input) { id } }';
  const input = { name: 'Shop', url: 'https://example.com/mcp', headersTemplate: { authorization: 'Bearer {{secret:NEEDED}}' } };
  const { createMcpServer } = await admin.graphql(server, { agentId, input });
  const { secrets } = await admin.graphql('{ secrets { name tools { name } mcpServers { name } } }');
  expect(secrets).toContainEqual({ name: 'NEEDED', tools: [{ name: 'uses_it' }], mcpServers: [{ name: 'Shop' }] });

  const message = 'The secret NEEDED is used by MCP server Shop of Zoe, tool uses_it of Zoe.';
  expect(await admin.send('DELETE', `${path}?id=${id}`)).toMatchObject({ status: 409, body: { success: false, message } });
  const mutation = 'mutation ($id: ID!) { deleteSecret(id: $id) { id deleted } }';
  expect(await admin.refusal(mutation, { id })).toEqual({ code: 'CONFLICT', message });

  await admin.send('PATCH', `${base}/${agentId}/tools/${body.data.tool.id}`, { headersTemplate: null });
  expect(await admin.send('DELETE', `${path}?id=${id}`)).toMatchObject({ status: 409 });
  await admin.graphql('mutation ($id: ID!) { deleteMcpServer(id: $id) { deleted } }', { id: createMcpServer.id });
  expect(await admin.send('DELETE', `${path}?id=${id}`)).toMatchObject({
    status: 200,
    body: { success: true, data: { id, deleted: true } },
  });
  expect(await admin.refusal(mutation, { id })).toEqual({ code: 'NOT_FOUND', message: 'Secret not found' });
});

test('a deletion and a new use at once never leave a tool without its secret', async () => {
  for (let round = 0; round < 5; round += 1) {
    const name = `RACE_${round}`;
    const id = await create(name);
    const [deleted, made] = await Promise.all([
      admin.send('DELETE', `${path}?id=${id}`),
      admin.post(`${base}/${agentId}/tools`, tool(`race_${round}`, { a: `{{secret:${name}}}` })),
    ]);
    // A tool may name a secret that does not exist yet, so the tool is always created.
    expect([made.status, [200, 409]]).toEqual([201, expect.arrayContaining([deleted.status])]);
    const { rows } = await database().query('select 1 from agent.secrets where id = $1', [id]);
    expect(rows).toHaveLength(deleted.status === 409 ? 1 : 0);
  }
});

test('secrets belong to the organization, and only its admins use them', async () => {
  const id = await create('PRIVATE');
  const stranger = caller(other.key);
  const elsewhere = (await stranger.post(`/api/${other.slug}/agents`, { name: 'Eve' })).body.data.agent.id;
  const strange = `/api/${other.slug}/agents/${elsewhere}/secrets`;
  expect((await stranger.get(strange)).body.data.secrets.map(({ name }: { name: string }) => name)).not.toContain('PRIVATE');
  expect(await stranger.send('DELETE', `${strange}?id=${id}`)).toMatchObject({
    status: 404,
    body: { message: 'Secret not found' },
  });
  const foreign = `/api/${other.slug}/agents/${agentId}/secrets`;
  expect(await stranger.get(foreign)).toMatchObject({ status: 404, body: { message: 'Agent not found' } });
  expect(await stranger.post(foreign, { name: 'X', value: 'x' })).toMatchObject({ status: 404 });
  const member = caller((await acme.addMember('member')).key);
  expect(await member.get(path)).toMatchObject({ status: 403 });
  expect(await member.post(path, { name: 'X', value: 'x' })).toMatchObject({ status: 403 });
  expect(await member.send('DELETE', `${path}?id=${id}`)).toMatchObject({ status: 403 });
  expect(await admin.send('DELETE', path)).toMatchObject({ status: 400 });
  expect(await admin.send('DELETE', `${path}?id=nothing`)).toMatchObject({ status: 404 });
});

test('records of tool calls expire, and calls of a killed process end as failed', async () => {
  const scope = own.scopeOf(acme.id);
  const called = Object.assign(new Tool(), { agentId, name: 'swept' });
  const ids = await Promise.all(
    ['1 minute', '6 minutes', '91 days'].map(async (age) => {
      const id = await recordStart(scope, called, await seedConversation(acme.id, agentId), null);
      await database().query('update agent.tool_calls set created_at = now() - $2::interval where id = $1', [id, age]);
      return id;
    }),
  );
  await sweepCalls(own.services.pool);
  const { rows } = await database().query(
    'select id, status, error from agent.tool_calls where id = any($1) order by created_at desc',
    [ids],
  );
  expect(rows).toEqual([
    { id: ids[0], status: 'running', error: null },
    { id: ids[1], status: 'failed', error: 'The process was interrupted during the call.' },
  ]);
});
