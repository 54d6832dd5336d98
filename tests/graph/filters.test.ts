import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';

let catalog: Awaited<ReturnType<typeof seedCatalog>>;
let ids: string[];
const text = (value: unknown, attributeType = 'text') => ({ attributeName: 'A', attributeType, value });
beforeAll(async () => {
  catalog = await seedCatalog([color, weight]);
  ids = await catalog.addProducts([
    {
      sku: 'A',
      brand: 'Torvik',
      category: 'Tools',
      isParent: true,
      attributes: { color: text('Red'), weight: text(2.4, 'number') },
    },
    { sku: 'B', brand: 'torvik ', attributes: { color: text('blue'), tags: text(['New', 'Sale'], 'multiselect') } },
    { sku: 'C', brand: 'Lumen', category: 'Lamps', attributes: { weight: text(null, 'number') } },
    { sku: 'D', userProvidedRawDataSources: ['Color: green'] },
  ]);
});

const skus = async (filter: object, more = '') => {
  const query = `query ($filter: ProductFilter) { products(filter: $filter, sortBy: sku, sortOrder: asc ${more}) { nodes { sku } pagination { total } } }`;
  const { nodes, pagination } = (await catalog.api.graphql(query, { filter })).products;
  const found = nodes.map(({ sku }: { sku: string }) => sku).join('');
  expect(pagination.total).toBe(found.length);
  return found;
};

test('products are filtered by brand, category, ids and parent', async () => {
  const [parentId, child] = ids;
  await catalog.api.graphql(
    'mutation ($id: ID!, $parentId: ID!) { updateProduct(id: $id, input: { parentId: $parentId }) { id } }',
    {
      id: child,
      parentId,
    },
  );
  expect(await skus({ brand: 'TORVIK' })).toBe('AB');
  expect(await skus({ brand: 'TORVIK', category: 'tools' })).toBe('A');
  expect(await skus({ ids: [ids[0], ids[3], 'no-id'] })).toBe('AD');
  expect(await skus({ parentId })).toBe('B');
  expect(await skus({ parentId: 'no-id' })).toBe('');
});

test('products are filtered by attribute value, in any case and by one label of several', async () => {
  expect(await skus({ attribute: { slug: 'color', value: 'RED' } })).toBe('A');
  expect(await skus({ attribute: { slug: 'weight', value: '2.4' } })).toBe('A');
  expect(await skus({ attribute: { slug: 'tags', value: 'sale' } })).toBe('B');
  expect(await skus({ attribute: { slug: 'color', value: 'sale' } })).toBe('');
});

test('an attribute with the value null counts as missing', async () => {
  expect(await skus({ missingAttribute: 'weight' })).toBe('BCD');
  expect(await skus({ missingAttribute: 'weight', brand: 'lumen' })).toBe('C');
});

test('a product whose values are filled and removed again changes between having and missing an attribute', async () => {
  const mutation =
    'mutation ($id: ID!, $attributes: AttributeValues!) { updateProductAttributes(id: $id, attributes: $attributes) { id } }';
  const update = (attributes: object) => catalog.api.graphql(mutation, { id: ids[3], attributes });
  await update({ weight: text(3, 'number'), color: text('Red') });
  expect(await skus({ missingAttribute: 'weight' })).toBe('BC');
  expect(await skus({ missingAttribute: 'color' })).toBe('C');
  await update({ weight: text(null, 'number'), color: text('') });
  expect(await skus({ missingAttribute: 'weight' })).toBe('BCD');
  expect(await skus({ missingAttribute: 'none-has-it' })).toBe('ABCD');
  expect(await skus({ missingAttribute: 'weight', attribute: { slug: 'tags', value: 'new' } })).toBe('B');
});

test('products are filtered by confidence and by time of change', async () => {
  const before = new Date().toISOString();
  await catalog.enrich([ids[3]!]);
  const { confidence } = (await catalog.api.graphql('{ product(sku: "D") { values { confidence } } }')).product.values[0];
  expect(await skus({ confidenceBelow: confidence })).toBe('');
  if (confidence < 100) expect(await skus({ confidenceBelow: confidence + 0.1 })).toBe('D');
  expect(await skus({ updatedSince: before })).toBe('D');
  expect(await skus({}, ', orderBy: updatedAt').then((all) => all.at(-1))).toBe('D');
});

const PAGE = `query ($after: String, $order: SortOrder!, $by: ProductSort!) {
  products(limit: 2, after: $after, sortBy: $by, sortOrder: $order) { nodes { sku } endCursor } }`;

test.each([
  ['sku', 'asc'],
  ['sku', 'desc'],
  ['brand', 'asc'],
  ['brand', 'desc'],
  ['createdAt', 'desc'],
])('pages by cursor, sorted by %s %s, are the list', async (by, order) => {
  const whole = (await catalog.api.graphql(`{ products(limit: 100, sortBy: ${by}, sortOrder: ${order}) { nodes { sku } } }`))
    .products.nodes;
  const found: unknown[] = [];
  let after: string | null = null;
  do {
    const { products } = await catalog.api.graphql(PAGE, { after, by, order });
    found.push(...products.nodes);
    after = products.endCursor;
  } while (after);
  expect(found).toEqual(whole);
});

test('a page by cursor neither repeats nor skips rows while products are created and deleted', async () => {
  const other = await seedCatalog([]);
  const made = await other.addProducts(['B', 'D', 'F', 'H'].map((sku) => ({ sku })));
  const page = async (after?: string) => (await other.api.graphql(PAGE, { after, by: 'sku', order: 'asc' })).products;
  const first = await page();
  await other.addProducts([{ sku: 'A' }, { sku: 'C' }]);
  await other.api.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: made[1] });
  expect((await page(first.endCursor)).nodes).toEqual([{ sku: 'F' }, { sku: 'H' }]);
});

test.each(['', 'x', Buffer.from('["a"]').toString('base64url'), Buffer.from('["a","b"]').toString('base64url')])(
  'the cursor %j is rejected',
  async (after) => {
    const refusal = await catalog.api.refusal(PAGE, { after, by: 'createdAt', order: 'asc' });
    expect(refusal).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('after must be') });
  },
);

test('a cursor of another order or list is rejected', async () => {
  const refusalOf = (after: string, by: string, order: string) => catalog.api.refusal(PAGE, { after, by, order });
  const { endCursor } = (await catalog.api.graphql(PAGE, { by: 'createdAt', order: 'asc' })).products;
  const expected = { code: 'INVALID_INPUT', message: 'after must be the endCursor of a page of the same list' };
  for (const [by, order] of [
    ['name', 'asc'],
    ['createdAt', 'desc'],
    ['sku', 'asc'],
  ] as const)
    expect(await refusalOf(endCursor, by, order)).toMatchObject(expected);
  const ofFiles = 'query ($after: String) { uploadedFiles(after: $after) { nodes { id } } }';
  const { endCursor: newest } = (await catalog.api.graphql(PAGE, { by: 'createdAt', order: 'desc' })).products;
  expect(await catalog.api.refusal(ofFiles, { after: newest })).toMatchObject(expected);
});

test('jobs of all kinds are filtered by status, kind, creator and time', async () => {
  await database().query(
    `insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, created_at)
     select gen_random_uuid(), $1, kind, status, 'budget-v1', 1, $2, '2020-01-01'::timestamptz + n * interval '1 day'
       from (values (1, 'ai-import', 'stopped'), (2, 'ai-import', 'completed'), (3, 'product-validation', 'failed')) as j (n, kind, status)`,
    [catalog.id, ids[0]],
  );
  const jobs = async (args: string) => {
    const found = (
      await catalog.api.graphql(`{ jobs(createdBefore: "2021-01-01T00:00:00Z" ${args}) { nodes { status } pagination { total } } }`)
    ).jobs;
    expect(found.pagination.total).toBe(found.nodes.length);
    return found.nodes.map(({ status }: { status: string }) => status);
  };
  expect(await jobs('')).toEqual(['failed', 'completed', 'stopped']);
  expect(await jobs('kind: "ai-import"')).toEqual(['completed', 'stopped']);
  expect(await jobs('status: [stopped, failed]')).toEqual(['failed', 'stopped']);
  expect(await jobs(`createdBy: "${ids[0]}", createdSince: "2020-01-03T00:00:00Z"`)).toEqual(['failed', 'completed']);
  expect(await jobs(`createdBy: "${catalog.owner.id}"`)).toEqual([]);
});
