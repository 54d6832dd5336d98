import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { forgetValueChanges } from '../../subgraphs/catalog/values/value-history.ts';
import { duringTransaction } from '../support/rival.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

type Input = Record<string, unknown>;

const UPSERT = `mutation ($matchBy: ImportMatch!, $products: [ProductUpsert!]!) {
  upsertProducts(matchBy: $matchBy, products: $products) { index key id outcome message } }`;
const text = (value: string | null) => ({ attributeType: 'text', value });

async function open() {
  const { id: organizationId, key } = await graph.seed();
  const { ask, refusal } = graph.caller(key);
  return {
    organizationId,
    ask,
    refusal: (products: Input[], matchBy = 'sku') => refusal(UPSERT, { matchBy, products }),
    upsert: async (products: Input[], matchBy = 'sku') => (await ask(UPSERT, { matchBy, products })).upsertProducts,
    async read(sku: string) {
      const fields =
        'id name brand manufacturer uom externalId isParent parent { sku } attributes provenance { slug } userProvidedRawDataSources updatedAt';
      const { attributes, ...product } = (await ask(`query ($sku: String) { product(sku: $sku) { ${fields} } }`, { sku })).product;
      const values = Object.entries(attributes as Record<string, Input>).map(([slug, { value }]) => [slug, value]);
      return { ...product, values: Object.fromEntries(values) };
    },
  };
}

const outcomes = (results: Input[]) => results.map(({ key, outcome }) => [key, outcome]);

test('products are created, changed or left alone by SKU, and a repetition changes nothing', async () => {
  const { upsert, read } = await open();
  const first = [
    { sku: 'A', name: 'Lamp', brand: 'Norrvik', uom: 'pc', attributes: { color: text('red'), room: text('Hall') } },
    { sku: 'B', name: 'Chair', userProvidedRawDataSources: ['https://example.com'] },
  ];
  const results = await upsert(first);
  expect(results).toMatchObject([
    { index: 0, key: 'A', id: expect.any(String), outcome: 'created', message: null },
    { index: 1, key: 'B', outcome: 'created' },
  ]);
  const { updatedAt } = await read('A');
  expect(outcomes(await upsert(first))).toEqual([
    ['A', 'unchanged'],
    ['B', 'unchanged'],
  ]);
  expect((await read('A')).updatedAt).toBe(updatedAt);
  const changed = await upsert([
    { sku: 'A', brand: null, attributes: { color: text('blue') } },
    { sku: 'B', name: 'Chair' },
  ]);
  expect(outcomes(changed)).toEqual([
    ['A', 'updated'],
    ['B', 'unchanged'],
  ]);
  expect(changed[0].id).toBe(results[0].id);
  expect(await read('A')).toMatchObject({ name: 'Lamp', brand: null, uom: 'pc', values: { color: 'blue', room: 'Hall' } });
});

test('products are found by their external id, and families are built in one request', async () => {
  const { upsert, read } = await open();
  const family = [
    { externalId: 'v', sku: 'V', name: 'Variant', parentKey: 'p' },
    { externalId: 'p', sku: 'P', name: 'Parent', isParent: true },
  ];
  expect(outcomes(await upsert(family, 'externalId'))).toEqual([
    ['v', 'created'],
    ['p', 'created'],
  ]);
  expect(await read('V')).toMatchObject({ externalId: 'v', parent: { sku: 'P' } });
  expect(outcomes(await upsert([{ externalId: 'v', sku: 'V2' }], 'externalId'))).toEqual([['v', 'updated']]);
  expect(await read('V2')).toMatchObject({ name: 'Variant', parent: { sku: 'P' } });
  await upsert([{ externalId: 'v', parentKey: null }], 'externalId');
  expect((await read('V2')).parent).toBeNull();
});

test('a refused product has its reason and does not affect the others', async () => {
  const { upsert, ask } = await open();
  await upsert([
    { sku: 'TAKEN', name: 'Old', externalId: 'ext' },
    { sku: 'P', name: 'Parent', isParent: true },
    { sku: 'OTHER', name: 'Other' },
  ]);
  const results = await upsert([
    { sku: 'GOOD', name: 'Good' },
    { sku: 'NAMELESS' },
    { name: 'No key' },
    { sku: 'GOOD', name: 'Again' },
    { sku: 'NEW', name: 'New', externalId: 'ext' },
    { sku: 'LOST', name: 'Lost', parentKey: 'OTHER' },
    { sku: 'P', parentKey: 'P' },
    { sku: 'P', isParent: false },
    { sku: 'ALSO', name: 'Also good' },
  ]);
  expect(results.map(({ key, outcome, message }: Input) => [key, message ?? outcome])).toEqual([
    ['GOOD', 'created'],
    ['NAMELESS', 'name is required for a new product'],
    ['', 'sku is required'],
    ['GOOD', 'sku is repeated in the request'],
    ['NEW', 'Another product has this externalId: ext'],
    ['LOST', 'The parent does not exist, or is none'],
    ['P', 'A product cannot be both a parent and a variant'],
    ['P', 'sku is repeated in the request'],
    ['ALSO', 'created'],
  ]);
  expect((await ask('{ products { pagination { total } } }')).products.pagination.total).toBe(5);
});

test('values that a job wrote lose their origin when an upsert changes them, and keep it otherwise', async () => {
  const { organizationId, upsert, read } = await open();
  await upsert([{ sku: 'A', name: 'Lamp', attributes: { color: text('red'), room: text('Hall') } }]);
  await pool.query(
    `update catalog.products set provenance = '{"color": {"confidence": 70, "itemId": "0199a000-0000-7000-8000-000000000000"}, "room": {"confidence": 80, "itemId": "0199a000-0000-7000-8000-000000000000"}}' where organization_id = $1`,
    [organizationId],
  );
  await upsert([
    {
      sku: 'A',
      attributes: { color: { ...text('blue'), attributeName: 'color' }, room: { ...text('Hall'), attributeName: 'room' } },
    },
  ]);
  expect((await read('A')).provenance).toEqual([{ slug: 'room' }]);
});

test('large values and a full storage do not refuse a repetition, and a replaced value counts once', async () => {
  const { organizationId, ask, upsert, read } = await open();
  /** Six values of together 600 KB, of the 1 MB that a product may have. */
  const long = (letter: string, slug = 'story') =>
    Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`${slug}-${n}`, text(letter.repeat(100_000))]));
  const product = { sku: 'A', name: 'Lamp', attributes: long('a'), userProvidedRawDataSources: ['x'.repeat(50_000)] };
  await upsert([product]);
  expect(outcomes(await upsert([product]))).toEqual([['A', 'unchanged']]);
  expect(outcomes(await upsert([{ sku: 'A', attributes: long('b') }]))).toEqual([['A', 'updated']]);
  expect(await upsert([{ sku: 'A', attributes: long('c', 'other') }])).toMatchObject([
    { outcome: 'refused', message: 'The values are too large' },
  ]);
  await pool.query('update identity.organizations set storage_quota = 1 where id = $1', [organizationId]);
  expect(outcomes(await upsert([{ ...product, attributes: long('b') }]))).toEqual([['A', 'unchanged']]);
  expect((await read('A')).values['story-5']).toBe('b'.repeat(100_000));
  // A shorter value makes room, although the history gets a row.
  expect(outcomes(await upsert([{ sku: 'A', attributes: { 'story-0': text('short') } }]))).toEqual([['A', 'updated']]);
  const { id } = await read('A');
  const history = async () =>
    (await ask('query ($id: ID!) { valueHistory(productId: $id, slug: "story-0") { value { value } } }', { id })).valueHistory;
  expect((await history()).map(({ value }: { value: Input }) => value.value)).toEqual(['short', 'b'.repeat(100_000)]);
  await pool.query(
    `update catalog.value_changes set changed_at = now() - interval '401 days' where organization_id = $1 and after ->> 'value' <> 'short'`,
    [organizationId],
  );
  expect(await forgetValueChanges(pool)).toBe(6);
  expect(await history()).toEqual([{ value: { value: 'short' } }]);
});

test('null clears the sources, and means no parent', async () => {
  const { upsert, read } = await open();
  const product = { sku: 'A', name: 'Lamp', userProvidedRawDataSources: ['https://example.com'] };
  await upsert([{ ...product, isParent: null }]);
  expect(await read('A')).toMatchObject({ isParent: false, userProvidedRawDataSources: ['https://example.com'] });
  expect(outcomes(await upsert([{ sku: 'A', userProvidedRawDataSources: null }]))).toEqual([['A', 'updated']]);
  expect((await read('A')).userProvidedRawDataSources).toEqual([]);
  expect(outcomes(await upsert([{ sku: 'A', userProvidedRawDataSources: null, isParent: null }]))).toEqual([['A', 'unchanged']]);
  await upsert([{ sku: 'P', name: 'Parent', isParent: true, userProvidedRawDataSources: null }]);
  expect(await upsert([{ sku: 'P', isParent: null }])).toMatchObject([{ outcome: 'refused' }]);
});

test('requests of the wrong form are refused as a whole, and other organizations have products of their own', async () => {
  const [one, two] = [await open(), await open()];
  await one.upsert([{ sku: 'A', name: 'Mine', isParent: true }]);
  expect(outcomes(await two.upsert([{ sku: 'A', name: 'Theirs' }]))).toEqual([['A', 'created']]);
  const { id } = await one.read('A');
  expect(await two.upsert([{ sku: 'V', name: 'V', parentId: id }])).toMatchObject([{ outcome: 'refused' }]);
  expect(await one.refusal([{ sku: 'x'.repeat(65), name: 'X' }])).toMatch(/^INVALID_INPUT/);
  expect(await one.refusal([{ sku: 'B', name: 'B', attributes: { color: { attributeType: 'number', value: 'red' } } }])).toMatch(
    /^INVALID_INPUT/,
  );
  expect((await one.read('A')).name).toBe('Mine');
});

test('requests with the same new products at the same time create each once', async () => {
  const { organizationId, upsert, ask } = await open();
  const products = Array.from({ length: 50 }, (_, n) => ({ sku: `S-${n}`, name: 'N' }));
  const all = await Promise.all([upsert(products), upsert(products.toReversed()), upsert(products)]);
  const created = all.flat().filter(({ outcome }: Input) => outcome === 'created');
  expect(created).toHaveLength(50);
  expect((await ask('{ products { pagination { total } } }')).products.pagination.total).toBe(50);
  const result = await duringTransaction(
    (rival) =>
      rival.query(`insert into catalog.products (id, organization_id, sku, name) values (gen_random_uuid(), $1, 'RACE', 'Rival')`, [
        organizationId,
      ]),
    () => upsert([{ sku: 'RACE', name: 'Mine' }]),
    undefined,
    pool,
  );
  expect(outcomes(result)).toEqual([['RACE', 'updated']]);
});
