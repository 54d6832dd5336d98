import { buildSchema, type GraphQLObjectType } from 'graphql';
import { teachScalars } from '../../schema/scalars.ts';
import { allow, connect } from '../mcp/mcp.ts';
import { textOf } from '../structure/files.ts';
import { caller } from '../support/client.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { besides, refusals } from './own-ids.ts';
import { argumentsFor, concurrently, idPlaces, openOperations, operationOf } from './sweep.ts';
import { mark } from './tenant.ts';
import { seedContent } from './tenant-content.ts';

const organization = await seedOrganization();
const owner = caller(organization.key);
const colleague = await organization.addMember('member');
const idOf = async (text: string, variables: Record<string, unknown>): Promise<string> =>
  (await owner.graphql(text, variables)).made.id;

/** A workspace with a site and content of every kind. */
async function seedWorkspace(slug: string) {
  const name = mark(slug);
  const workspace = await idOf(
    'mutation ($name: String!, $slug: String!) { made: createWorkspace(input: { name: $name, slug: $slug }) { id } }',
    { name, slug },
  );
  const site = await idOf(
    'mutation ($name: String!, $workspace: ID!) { made: createSite(input: { name: $name, slug: "s", workspaceId: $workspace }) { id } }',
    { name, workspace },
  );
  await owner.graphql('mutation ($site: ID!) { publishSite(id: $site) { id } }', { site });
  return { workspace, site, ...(await seedContent({ workspace, site, colleague }, name, { graphql: owner.graphql, idOf })) };
}
const [own, other] = [await seedWorkspace('own'), await seedWorkspace('other')];
const CREATE =
  'mutation ($workspaceId: ID) { createApiKey(name: "site", workspaceId: $workspaceId) { key apiKey { id workspaceId } } }';
const createKey = async (workspaceId: string): Promise<string> => (await owner.graphql(CREATE, { workspaceId })).createApiKey.key;
const key = await createKey(own.workspace);
const bound = caller(key);
const site = (path: string, token = key) =>
  caller(undefined, { url: process.env.TEST_SITE_URL! }).get(`/api/v1${path}`, { authorization: `Bearer ${token}` });

const schema = buildSchema(textOf('schema/api.graphql'));
teachScalars(schema);
const content = buildSchema(textOf('schema/site-content.graphql'), { assumeValidSDL: true });
const fieldsOf = (type: GraphQLObjectType | null | undefined) => Object.values(type?.getFields() ?? {});
const operations = (['query', 'mutation'] as const).flatMap((kind) => {
  const root = (each: typeof schema) => (kind === 'query' ? each.getQueryType() : each.getMutationType());
  const names = fieldsOf(root(content)).map(({ name }) => name);
  const fields = fieldsOf(root(schema)).filter(({ name }) => names.includes(name) && !openOperations.includes(name));
  return fields.flatMap((field) => idPlaces(field).map((place) => ({ kind, field, place, name: `${field.name}(${place})` })));
});

/** Every row of site content that names the other workspace or one of its sites. */
async function rowsOfOther(): Promise<unknown[]> {
  const { rows: tables } = await database().query(
    `select table_name as name from information_schema.tables where table_schema = 'site_content' order by 1`,
  );
  const select = ({ name }: { name: string }) =>
    `select '${name}' as name, to_jsonb(t) as row from site_content.${name} t where to_jsonb(t)::text ~ $1`;
  const text = `select * from (${tables.map(select).join(' union all ')}) rows order by name, row`;
  return (await database().query(text, [`${other.workspace}|${other.site}|${mark('other')}`])).rows;
}

test('every operation treats ids of another workspace as not existing', async () => {
  const before = await rowsOfOther();
  expect(before.length).toBeGreaterThan(10);
  await concurrently(operations, async ({ kind, field, place, name }) => {
    // The name of the operation or argument tells which ids are likely; ids of other kinds are never found.
    const isLikely = ([kind]: [string, string]) => name.toLowerCase().includes(kind.toLowerCase());
    const likely = Object.entries(other).filter(isLikely);
    for (const [, id] of likely.length > 0 ? likely : Object.entries(other)) {
      const variables = argumentsFor(field, place, id, besides(name, { ids: { ...own, owner: organization.owner.id } }));
      // The colleague is a member of both workspaces.
      if (id === other.colleague && name !== 'addWorkspaceMember(userId)') continue;
      const { body } = await bound.post('/graphql', { query: operationOf(kind, field, variables), variables });
      const code = body.errors?.[0]?.extensions?.code;
      const isRefused = [...refusals, 'CONFLICT', 'FORBIDDEN'].includes(code) || body.data?.[field.name]?.nodes?.length === 0;
      expect([name, id, isRefused ? 'refused' : body]).toEqual([name, id, 'refused']);
      expect(JSON.stringify(body.data ?? null)).not.toContain(mark('other'));
    }
  });
  expect(await rowsOfOther()).toEqual(before);
});

test('the lists contain the workspace of the key only, also their sizes and their changes', async () => {
  expect(await site('/me')).toMatchObject({
    body: { data: { workspace: { id: own.workspace }, organizations: [{ id: organization.id }] } },
  });
  for (const query of ['?', '?since=0&']) {
    const workspaces = (await site(`/workspaces${query}`)).body;
    expect(workspaces).toMatchObject({ data: [{ id: own.workspace }], meta: { total: 1 } });
    for (const part of ['', 'workspaceId=&', `workspaceId=${own.workspace}&`]) {
      const sites = (await site(`/sites${query}${part}status=all`)).body;
      expect(sites).toMatchObject({ data: [{ id: own.site }], meta: { total: 1 } });
      expect((await site(`/sites?since=1&${part}status=all`)).body.deleted).toEqual([]);
    }
  }
  expect((await site('/webhooks')).body).toMatchObject({ data: [{ id: own.siteWebhook }], meta: { total: 1 } });
  expect((await site(`/sites/${own.site}/pages/${own.page}`)).status).toBe(200);
  expect((await site(`/sites/${other.site}/pages/${other.page}`)).status).toBe(404);
  expect((await site(`/webhooks/${own.siteWebhook}/deliveries`)).body.data).toHaveLength(1);
  expect((await site('/workspaces', organization.key)).body.meta.total).toBe(2);
});

test('the key of an admin of its workspace lists the drafts of it, and no others', async () => {
  const editor = await organization.addMember('member');
  const add = 'mutation ($id: ID!, $user: ID!) { made: addWorkspaceMember(workspaceId: $id, userId: $user, role: admin) { id } }';
  await idOf(add, { id: own.workspace, user: editor.id });
  const ofEditor = await createKey(own.workspace);
  await database().query('update identity.api_keys set user_id = $1 where prefix = $2', [editor.id, ofEditor.slice(0, 10)]);
  expect(await site('/sites?status=all', ofEditor)).toMatchObject({ status: 200, body: { data: [{ id: own.site }] } });
  expect((await site(`/sites?status=all&workspaceId=${other.workspace}`, ofEditor)).status).toBe(403);
  expect((await site('/sites?status=all', editor.key)).status).toBe(403);
});

test('everything outside site content is refused, also through links of the graph', async () => {
  const refused = { status: 403 };
  expect(await bound.post(`/api/${organization.slug}/brands/create`, { name: 'Acme' })).toMatchObject(refused);
  expect(await bound.get('/api/organizations/get')).toMatchObject(refused);
  expect(await bound.get('/api/v1/leads')).toMatchObject(refused);
  expect(await bound.get(`/api/${organization.slug}/agents`)).toMatchObject(refused);
  for (const text of [
    '{ organizations { id } }',
    '{ me { id } }',
    '{ apiKeys { id } }',
    'mutation { createOrganization(name: "x", slug: "x-y-z") { id } }',
  ])
    expect(await bound.refusal(text)).toMatchObject({ code: 'FORBIDDEN' });
  const query = `{ site(id: "${own.site}") { workspace { organization { id credits products { nodes { id } } agents { id } } } } }`;
  const { body } = await bound.post('/graphql', { query });
  expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  expect(JSON.stringify(body.data)).not.toMatch(/credits|nodes/);
  expect(await bound.refusal('mutation { createWorkspace(input: { name: "x", slug: "x" }) { id } }')).toMatchObject({
    code: 'FORBIDDEN',
  });
  const first = await bound
    .subscribe('subscription { jobsChanged { credits } }')
    .next()
    .catch((error: unknown) => error);
  expect(JSON.stringify(first)).toContain('bound to a workspace');
  await allow(key);
  const tools = await (await connect(key)).list();
  expect(tools.map(({ name }) => name)).toContain('list_sites');
  expect(tools.filter(({ name }) => /product|agent|lead|job/.test(name))).toEqual([]);
});

test('a key can be bound to a workspace of its organization only, and ends with it', async () => {
  const foreign = caller((await seedOrganization()).key);
  for (const workspaceId of [own.workspace, 'none', organization.id])
    expect(await foreign.refusal(CREATE, { workspaceId })).toEqual({ code: 'NOT_FOUND', message: 'Workspace not found' });
  const workspaceId = await idOf('mutation ($n: String!) { made: createWorkspace(input: { name: $n, slug: $n }) { id } }', {
    n: 'brief',
  });
  const brief = caller(await createKey(workspaceId));
  expect((await brief.graphql('{ workspaces { nodes { id } } }')).workspaces.nodes).toEqual([{ id: workspaceId }]);
  await owner.graphql('mutation ($id: ID!) { deleteWorkspace(id: $id) { id } }', { id: workspaceId });
  expect(await brief.refusal('{ workspaces { nodes { id } } }')).toMatchObject({ code: 'UNKNOWN_KEY' });
});

test('an Idempotency-Key does not reveal a result of another workspace', async () => {
  const query = `mutation { createSite(input: { workspaceId: "${other.workspace}", name: "secret", slug: "secret" }) { id } }`;
  const headers = { 'idempotency-key': 'site-1' };
  expect((await owner.post('/graphql', { query }, headers)).body.data.createSite.id).toBeDefined();
  expect((await bound.post('/graphql', { query }, headers)).body.errors[0].extensions.code).toBe('NOT_FOUND');
});
