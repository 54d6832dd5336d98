import { buildSchema } from 'graphql';
import type { Route } from '../../rest-adapter/route.ts';
import { teachScalars } from '../../schema/scalars.ts';
import { allRoutes, named, urlOf } from '../rest/all-routes.ts';
import { textOf } from '../structure/files.ts';
import { caller } from '../support/client.ts';
import { sendFiles } from '../support/form.ts';
import { besides, refusals } from './own-ids.ts';
import { argumentsFor, concurrently, idPlaces, openOperations, operationOf } from './sweep.ts';
import { mark, seedTenant, type Tenant } from './tenant.ts';
import { rowsOf } from './tenant-rows.ts';

const schema = buildSchema(textOf('schema/api.graphql'));
teachScalars(schema);

const fields = (['query', 'mutation'] as const).flatMap((kind) => {
  const type = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const ofMembers = Object.values(type!.getFields()).filter(({ name }) => !openOperations.includes(name));
  return ofMembers.flatMap((field) => idPlaces(field).map((place) => ({ kind, field, place, name: `${field.name}(${place})` })));
});

/** Lists that are empty for a foreign id; all other operations return not found. */
const empty = [
  'enrichmentHistory(productId)',
  'validationHistory(productId)',
  'products(filter.ids)',
  'products(filter.parentId)',
  'jobs(createdBy)',
  'sites(workspaceId)',
  'conversations(agentId)',
  'conversations(replies.agentId)',
  'conversations(replies.sourceId)',
  'conversations(assignedToUserId)',
  'handoffs(agentId)',
  'unansweredQuestions(agentId)',
  'toolCalls(toolId)',
  'toolCalls(conversationId)',
  'approvals(conversationId)',
  'auditLog(subjectId)',
  'auditLog(userId)',
];

/** The kind of id that each operation accepts from its own organization. */
const accepted = new Map<string, string>();
/** Ids of other kinds that each operation is tried with. */
const OTHER_KINDS = 4;

/** Foreign ids of the kinds that an operation accepts or that share a word with its name, and some others, in turn. */
function foreignIds(name: string): string[] {
  const kinds = Object.keys(foreign.ids);
  const isClose = (kind: string) =>
    accepted.get(name) === kind || kind.split(/(?=[A-Z])/).some((word) => name.toLowerCase().includes(word.toLowerCase()));
  const start = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  const others = Array.from({ length: OTHER_KINDS }, (_, nth) => kinds[(start + nth) % kinds.length]!);
  return [...new Set([...kinds.filter(isClose), ...others])].map((kind) => foreign.ids[kind as keyof Tenant['ids']]);
}

let own: Tenant;
let foreign: Tenant;
let before: Awaited<ReturnType<typeof rowsOf>>;
beforeAll(async () => {
  [own, foreign] = await Promise.all([seedTenant(), seedTenant()]);
  before = await rowsOf(foreign);
});

test('the other organization has rows in every table that belongs to organizations', () => {
  const without = Object.entries(before).filter(([, rows]) => rows.length === 0);
  const neverHere = [
    'catalog.validation_history',
    'catalog.product_images',
    'identity.account_changes',
    'identity.credit_entries',
    'identity.credit_usage',
    'catalog.enrichment_history',
    'site_content.pruned_changes',
  ];
  expect(without.map(([name]) => name).filter((name) => !neverHere.includes(name))).toEqual([]);
});

test('the same operations succeed with ids of the own organization', async () => {
  const tenant = await seedTenant();
  // Deleting an agent deletes its records.
  const ending = ({ name }: { name: string }) => {
    const parent = /^delete(Agent|PostAuthor|PostCategory|SiteForm|Collection|Site|Workspace)\(/.exec(name)?.[1] ?? '';
    return (
      Number(/^(delete|remove|revoke|disable|merge|endMember)/.test(name)) +
      // After its cases, and before its agent.
      Number(/^deleteTestSet\(/.test(name)) +
      (['Site', 'Workspace'].indexOf(parent) + 1 || Number(parent !== '')) * 2
    );
  };
  // These errors prove that the id was found: a finished job cannot stop, and the last owner cannot leave.
  const known = [undefined, 'NOT_IN_PROGRESS', 'UNPROCESSABLE'];
  const unreached: string[] = [];
  for (const { kind, field, place, name } of [...fields].sort((a, b) => ending(a) - ending(b))) {
    // The operation is tested with the other id; a record is deleted once.
    if (/^delete\w+\((agentId|testSetId)\)$/.test(name)) continue;
    const codes: string[] = [];
    const likely = ([idKind]: [string, string]) => Number(name.toLowerCase().includes(idKind.toLowerCase()));
    const ids = Object.entries(tenant.ids).sort((a, b) => likely(b) - likely(a));
    for (const [idKind, id] of ids) {
      const variables = argumentsFor(field, place, id, besides(name, tenant));
      const { body } = await caller(tenant.key).post('/graphql', { query: operationOf(kind, field, variables), variables });
      codes.push(body.errors?.[0]?.extensions?.code);
      if (!known.includes(codes.at(-1))) continue;
      accepted.set(name, idKind);
      break;
    }
    // Versions, members and the posts of an author are checked after the ids.
    if (codes.includes('CONFLICT') && /^(updatePage|updatePost|addWorkspaceMember|deletePostAuthor)\(/.test(name)) continue;
    // Only one job runs at a time; the request was rejected after the id check.
    if (codes.includes('CONFLICT') && /EnrichmentJob/.test(name)) continue;
    // They require records that belong together: a job with its items, a file with its mapping, a set with its attributes, and the name of a category.
    if (
      /^(finalizeAiImportJob|createProductImportJob|setCategoryAttributeSet)\(|^createAttributeSet\(requiredAttributeIds/.test(name)
    )
      continue;
    if (/^(proposeImportMapping|createAiImportJob)\((mapping|importMapping)\./.test(name)) continue;
    if (!known.includes(codes.at(-1))) unreached.push(`${name}: ${codes}`);
  }
  expect(unreached).toEqual([]);
});

test.each(fields)('$name reads no data of another organization', async ({ kind, field, place, name }) => {
  await concurrently(foreignIds(name), async (id) => {
    const variables = argumentsFor(field, place, id, besides(name, own));
    const { body } = await caller(own.key).post('/graphql', { query: operationOf(kind, field, variables), variables });
    const code = body.errors?.[0]?.extensions?.code;
    if (empty.includes(name) && !code) expect(body.data[field.name].nodes).toEqual([]);
    else if (name === 'deleteEventSubscriptions(id)' && !code) expect(body.data[field.name].deleted).toBe(0);
    else if (/^upsertProducts/.test(name) && !code)
      expect(body.data[field.name]).toMatchObject([
        { outcome: 'refused', message: expect.stringMatching(/^The (product does not exist|parent does not exist, or is none)$/) },
      ]);
    else
      expect([JSON.stringify(variables), refusals.includes(code) ? 'refused' : body]).toEqual([
        JSON.stringify(variables),
        'refused',
      ]);
    // A result may repeat the id of the request.
    expect(JSON.stringify(body.data ?? null).replaceAll(id, '')).not.toContain(mark(foreign.slug));
  });
});

test('the progress of a job of another organization is rejected', async () => {
  const updates = caller(own.key).subscribe('subscription ($id: ID!) { jobProgress(id: $id) { status job { id } } }', {
    id: foreign.ids.job,
  });
  const received: { data?: unknown; errors?: { message: string }[] }[] = [];
  await expect(
    (async () => {
      for await (const each of updates) {
        received.push(each as never);
        if (each.errors) throw new Error(each.errors[0]?.message);
      }
    })(),
  ).rejects.toBeDefined();
  expect(JSON.stringify(received)).not.toContain(foreign.ids.job);
});

const rows = named(allRoutes);
const withIds = rows.filter(({ route }) => route.params.some((each) => !['organization', 'publicSlug'].includes(each)));
const withOrganization = rows.filter(({ route }) => route.params.includes('organization'));

const ask = async (route: Route, params: Record<string, string>) => {
  const { method, path, row } = route;
  const body = method === 'GET' ? undefined : (row.example.body ?? {});
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
  const query = row.example.query ? `?${new URLSearchParams(row.example.query)}` : '';
  if (row.files) {
    const { organization: slug, ...ids } = params;
    const rest = path.replace('/api/{organization}', '').replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '-');
    return sendFiles({ slug: slug!, key: own.key }, rest, [{ name: 'a.txt', type: row.files.types[0]!, content: 'Lamps' }]);
  }
  return caller(undefined, { url: urlOf(route) }).send(method, filled + query, body, { authorization: `Bearer ${own.key}` });
};

test.each(withIds)('$name treats the id of another organization as not existing', async ({ name, route }) => {
  const wanted = route.params.filter((each) => each !== 'organization');
  await concurrently(foreignIds(name), async (id) => {
    const answer = await ask(route, { organization: own.slug, ...Object.fromEntries(wanted.map((each) => [each, id])) });
    if (answer.status !== 200) expect(answer.status).toBe(404);
    else expect(answer.body.data.history).toEqual([]);
    expect(JSON.stringify(answer.body)).not.toContain(mark(foreign.slug));
  });
});

test.each(withOrganization)('$name is rejected in another organization', async ({ route }) => {
  for (const organization of [foreign.slug, foreign.id]) {
    const params = { product_id: foreign.ids.product, job_id: foreign.ids.job };
    const { status, body } = await ask(route, { ...params, organization });
    expect({ status, body }).toEqual({ status: 403, body: { success: false, message: 'Invalid API Key' } });
  }
});

test('foreign ids cannot be added to a job, a variant or a set', async () => {
  const { post } = caller(own.key);
  const job = await post(`/api/${own.slug}/product-enrichment-jobs/create`, {
    productIds: [own.ids.product, foreign.ids.product],
    modelType: 'budget-v1',
  });
  expect(job).toMatchObject({
    status: 404,
    body: { success: false, message: 'Product not found', missingIds: [foreign.ids.product] },
  });
  const variant = await post(`/api/${own.slug}/products/create`, { sku: 'STOLEN', name: 'Stolen', parentId: foreign.ids.parent });
  expect(variant.status).toBeGreaterThanOrEqual(400);
  expect(variant.status).toBeLessThan(500);
});

// Reading all rows after each operation would take longer than the operations.
test('none of these operations has changed a row of the other organization', async () => {
  expect(await rowsOf(foreign)).toEqual(before);
});

test('a member of two organizations sees the data of each separately', async () => {
  const { id, key } = await own.addMember('admin');
  await foreign.join(id, 'admin');
  const { organizations } = await caller(key).graphql(
    '{ organizations { id products { nodes { name parent { name } variants { name } } } agents { name } sites(status: all) { nodes { name workspace { name } } } workspaces { nodes { name } } credits } }',
  );
  expect(organizations).toHaveLength(2);
  for (const tenant of [own, foreign]) {
    const shown = organizations.find((each: { id: string }) => each.id === tenant.id);
    const name = mark(tenant.slug);
    expect(shown.products.nodes).toHaveLength(2);
    expect(shown.agents).toEqual([{ name }, { name }]);
    expect(shown.sites.nodes).toEqual([{ name, workspace: { name } }]);
    const other = tenant === own ? foreign : own;
    expect(JSON.stringify(shown)).not.toContain(mark(other.slug));
  }
});

test('a member of one of two organizations is denied the other in the same query', async () => {
  before = await rowsOf(foreign);
  const { refusal } = caller(own.key, { organization: foreign.slug });
  expect(await refusal('{ organization { id } }')).toMatchObject({ code: 'NO_ACCESS' });
  expect(await refusal('mutation { updateOrganization(name: "Taken") { id } }')).toMatchObject({ code: 'NO_ACCESS' });
  expect(await rowsOf(foreign)).toEqual(before);
});
