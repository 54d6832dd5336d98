import { caller } from '../support/client.ts';
import { seedOrganization } from '../support/seed.ts';
import { allGroups, allow, connect, seedTools, send } from './mcp.ts';

const forbidden = (group: string) => ({
  isError: true,
  text: `403 FORBIDDEN: The API key may not call tools of the group ${group}.`,
});

test('a new key may only call tools that change nothing', async () => {
  const { key: own } = await seedOrganization();
  const { createApiKey } = await caller(own).graphql('mutation { createApiKey(name: "mcp") { key apiKey { id toolGroups } } }');
  const { key, apiKey } = createApiKey;
  expect(apiKey.toolGroups).toEqual(['catalog-read', 'agents-read', 'integration-read', 'site-content-read']);
  const { call, list } = await connect(key);
  const tools = await list();
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['list_products', 'wait_for_job', 'list_leads', 'list_sites']),
  );
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  expect(await call('create_brand', { name: 'Acme' })).toMatchObject(forbidden('catalog-write'));
  expect(await call('create_ai_import_job')).toMatchObject(forbidden('jobs'));
});

test('the groups of a key change at once, and REST and GraphQL do not depend on them', async () => {
  const { key: own, slug } = await seedOrganization();
  const api = caller(own);
  const create =
    'mutation ($groups: [ToolGroup!]) { createApiKey(name: "mcp", toolGroups: $groups) { key apiKey { id toolGroups } } }';
  const { createApiKey } = await api.graphql(create, { groups: ['jobs', 'jobs'] });
  expect(createApiKey.apiKey.toolGroups).toEqual(['jobs']);
  const { call, list } = await connect(createApiKey.key);
  expect((await list()).map(({ name }) => name)).not.toContain('list_products');
  expect(await call('list_products')).toMatchObject(forbidden('catalog-read'));

  const update = 'mutation ($id: ID!, $groups: [ToolGroup!]!) { updateApiKey(id: $id, toolGroups: $groups) { toolGroups } }';
  const { id } = createApiKey.apiKey;
  await api.graphql(update, { id, groups: ['catalog-read', 'catalog-write'] });
  expect(await call('create_brand', { name: 'Acme' })).toMatchObject({ isError: false, body: { data: { created: true } } });
  await api.graphql(update, { id, groups: [] });
  expect(await list()).toEqual([]);
  expect((await caller(createApiKey.key).post(`/api/${slug}/brands/create`, { name: 'Acme' })).status).toBe(200);
  expect((await api.refusal(update, { id, groups: ['everything'] })).code).toBe('INVALID_INPUT');
  const { key: stranger } = await seedOrganization();
  expect((await caller(stranger).refusal(update, { id, groups: allGroups })).code).toBe('NOT_FOUND');
});

test('a tool reads only the organization of the key, or another one of its user', async () => {
  const [own, other, foreign] = await Promise.all([seedTools(), seedTools(), seedTools()]);
  await other.join(own.owner.id, 'owner');
  const api = { own: await connect(own.key), other: await connect(other.key), foreign: await connect(foreign.key) };
  const made = await Promise.all(
    Object.values(api).map(({ call }, n) => call('create_product', { sku: `S-${n}`, name: `Product ${n}` })),
  );
  const skus = async (organization?: unknown) => {
    const { body, text } = await api.own.call('list_products', { organization });
    return body.data?.products.map(({ sku }: { sku: string }) => sku) ?? text;
  };
  expect(await skus()).toEqual(['S-0']);
  expect(await skus(other.slug)).toEqual(['S-1']);
  expect(await skus(other.id)).toEqual(['S-1']);
  for (const none of [foreign.slug, foreign.id, 'none', '', 'ä\u{d800}', '../acme', ' '])
    expect(await skus(none)).toBe('403 NO_ACCESS: Invalid API Key');
  expect(await skus(5)).toBe('400 INVALID_INPUT: Invalid request body: organization must be a string');
  const product_id = made[2]!.body.data.id;
  expect((await api.own.call('get_product', { product_id })).text).toBe('404 NOT_FOUND: Product not found');
  expect((await api.own.call('delete_product', { product_id })).text).toBe('404 NOT_FOUND: Product not found');
});

test('the plan, the modules and the role count as over REST', async () => {
  const free = await seedTools({ plan: 'free', modules: [] });
  const { call } = await connect(free.key);
  expect((await call('list_leads')).text).toBe('402 PLAN_REQUIRED: The integration API needs the Growth plan or above.');
  expect((await call('list_products')).isError).toBe(false);
  const growth = await seedTools({ modules: [] });
  const agent = await (await connect(growth.key)).call('create_agent', { name: 'Zoe' });
  const ticket = await (await connect(growth.key)).call('create_ticket', { agentId: agent.body.data.agent.id, subject: 'x' });
  expect(ticket.text).toBe('402 PLAN_REQUIRED: Tickets require the Helpdesk module.');
  const { key } = await growth.addMember('member');
  await allow(key);
  expect((await (await connect(key)).call('list_agents')).text).toBe(
    '403 FORBIDDEN: This needs the role admin in the organization.',
  );
});

test('a request without a valid key is refused before its body is read', async () => {
  const { addKey, owner } = await seedOrganization();
  const expired = await addKey(owner.id, { expiresAt: new Date(0) });
  const revoked = await addKey(owner.id, { revoked: true });
  const refused = (headers: Record<string, string>) => send('{ no JSON', headers);
  for (const [headers, status] of [
    [{}, 401],
    [{ 'x-api-key': 'nonsense' }, 401],
    [{ authorization: `Bearer ${expired}` }, 401],
    [{ 'x-api-key': revoked }, 403],
  ] as const) {
    const { body, ...answer } = await refused(headers);
    expect({ status: answer.status, code: body.error.code, id: body.id }).toEqual({ status, code: -32_000, id: null });
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  }
});
