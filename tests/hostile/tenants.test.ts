import { openCatalog } from '../catalog/catalog.ts';
import { database } from '../support/seed.ts';
import { readUntil } from '../support/until.ts';
import { expectRefusal, openAttacker } from './attacker.ts';

let attacker: Awaited<ReturnType<typeof openAttacker>>;
let victim: Awaited<ReturnType<typeof openCatalog>>;
const ids: Record<string, string> = {};
const secret = 'secret of the victim';

beforeAll(async () => {
  [attacker, victim] = [await openAttacker(), await openCatalog()];
  ids.PARENT = await victim.create({ sku: 'V1', name: secret, isParent: true });
  ids.PRODUCT = await victim.create({ sku: 'V2', name: secret, externalId: 'victim-2', brand: secret });
  const attribute = { name: secret, slug: 'secret', type: 'text' };
  ids.ATTRIBUTE = (
    await victim.graphql('mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }', { input: attribute })
  ).createAttribute.id;
  const set = 'mutation ($name: String!, $ids: [ID!]!) { createAttributeSet(name: $name, attributeIds: $ids) { id } }';
  ids.SET = (await victim.graphql(set, { name: secret, ids: [ids.ATTRIBUTE] })).createAttributeSet.id;
  const job = await victim.post('/product-enrichment-jobs/create', { productIds: [ids.PARENT], modelType: 'budget-v1' });
  ids.JOB = job.body.data.jobId;
  before = await readUntil(state, (text) => !text.includes('processing'));
});

let before: string;
/** All data of the victim, as text. */
async function state(): Promise<string> {
  const tables = ['products', 'attributes', 'attribute_sets', 'jobs', 'job_items', 'attribute_set_attributes'];
  const rows = await Promise.all(
    tables.map((table) =>
      database().query(`select * from catalog.${table} where organization_id = $1 order by 1, 2`, [victim.organization.id]),
    ),
  );
  const text = JSON.stringify(rows.map((each) => each.rows));
  return /"status":"pending"/.test(text) ? `${text} processing` : text;
}

const fill = (text: string) => text.replace(/[A-Z]{3,}/g, (name) => ids[name] ?? name);
const own = '{"sku": "A", "name": "A"}';
const requests: [path: string, body: string][] = [
  ['/products/PRODUCT/get', '{}'],
  ['/products/PRODUCT/update', own],
  ['/products/PRODUCT/delete', '{}'],
  ['/products/PRODUCT/update-attributes', '{"attributes": {}}'],
  ['/products/victim-2/update-attributes', '{"attributes": {}}'],
  ['/products/PRODUCT/enrichment-history', '{}'],
  ['/products/PRODUCT/validation-history', '{}'],
  ['/products/create', '{"sku": "A", "name": "A", "parentId": "PARENT"}'],
  ['/products/bulk-create', '{"products": [{"sku": "A", "name": "A", "parentId": "PARENT"}]}'],
  ['/product-enrichment-jobs/create', '{"productIds": ["PRODUCT"], "modelType": "pro-v1"}'],
  ['/product-enrichment-jobs/JOB/items/get', '{}'],
  ['/product-enrichment-jobs/JOB/stop', '{}'],
];

describe.each(requests)('%s with the ids of another organization', (path, body) => {
  test('is 404 in one’s own, and changes and shows nothing', async () => {
    const answer = await attacker.rest(fill(path), fill(body));
    expectRefusal(answer, [404]);
    expect(answer.text).not.toContain(secret);
    expect([await state(), await attacker.stored()]).toEqual([before, 0]);
  });

  test.each(['id', 'slug'] as const)('is 403 in their organization, by %s', async (name) => {
    const answer = await attacker.send(`/api/${victim.organization[name]}${fill(path)}`, fill(body));
    expectRefusal(answer, [403]);
    expect(answer.text).toBe('{"success":false,"message":"Invalid API Key"}');
    expect(await state()).toBe(before);
  });
});

test.each(['/products/get', '/attribute-sets', '/product-enrichment-jobs/get'])(
  '%s lists no data of the other organization',
  async (path) => {
    expect((await attacker.rest(path, '{}')).text).not.toMatch(new RegExp(`${secret}|${Object.values(ids).join('|')}`));
    expectRefusal(await attacker.send(`/api/${victim.organization.slug}${path}`, '{}'), [403]);
    expectRefusal(
      await attacker.send(`/api/${attacker.organization.slug}${path}`, '{}', {
        'x-organization': victim.organization.id,
        'x-api-key': 'none',
      }),
      [401],
    );
  },
);

const operations = [
  'query { product(id: "PRODUCT") { name } }',
  'query { job(id: "JOB") { status } }',
  'query { jobItems(jobId: "JOB") { nodes { productId } } }',
  'query { enrichmentHistory(productId: "PRODUCT") { nodes { attributes } } }',
  'mutation { updateProduct(id: "PRODUCT", input: {sku: "A", name: "A"}) { name } }',
  'mutation { deleteProduct(id: "PRODUCT") { id } }',
  'mutation { updateProductAttributes(id: "PRODUCT", attributes: {}) { name } }',
  'mutation { stopJob(id: "JOB") { status } }',
  'mutation { updateAttribute(id: "ATTRIBUTE", input: {name: "A"}) { name } }',
  'mutation { deleteAttribute(id: "ATTRIBUTE") { id } }',
  'mutation { updateAttributeSet(id: "SET", name: "A") { name } }',
  'mutation { deleteAttributeSet(id: "SET") { id } }',
  'mutation { createAttributeSet(name: "A", attributeIds: ["ATTRIBUTE"]) { id } }',
  'mutation { createProductEnrichmentJob(input: {productIds: ["PRODUCT"], modelType: "pro-v1"}) { id } }',
  'mutation { createProduct(input: {sku: "A", name: "A", parentId: "PARENT"}) { id } }',
];

test.each(operations)('%s finds nothing', async (query) => {
  const answer = await attacker.graphql(JSON.stringify({ query: fill(query) }));
  const { data, errors } = JSON.parse(answer.text);
  expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  expect(Object.values(data ?? {}).filter((root) => root !== null)).toEqual([]);
  expect(answer.text).not.toContain(secret);
  expect([await state(), await attacker.stored()]).toEqual([before, 0]);
});

test.each(operations)('%s is rejected for the other organization', async (query) => {
  const answer = await attacker.graphql(JSON.stringify({ query: fill(query) }), { 'x-organization': victim.organization.id });
  expect(answer.text).toContain('NO_ACCESS');
  expect(answer.text).not.toContain(secret);
  expect(await state()).toBe(before);
});
