import { caller } from '../support/client.ts';
import { invalid, notFound, ok, openCatalog, taken, unknownId } from './catalog.ts';

const many = (count: number, prefix = 'S') =>
  Array.from({ length: count }, (_, n) => ({ sku: `${prefix}${n}`, name: `Product ${n}` }));

test('bulk create returns only success', async () => {
  const { post, total } = await openCatalog();
  expect(await post('/products/bulk-create', { products: many(3) })).toEqual(ok({ created: true }));
  expect(await total()).toBe(3);
});

test('1,000 products are created; 1,001 and none are rejected', async () => {
  const { post, total } = await openCatalog();
  expect(await post('/products/bulk-create', { products: many(1_001) })).toEqual(
    invalid('products must have at most 1000 entries'),
  );
  expect(await post('/products/bulk-create', { products: [] })).toEqual(invalid('products must have at least 1 entry'));
  expect(await total()).toBe(0);
  expect(await post('/products/bulk-create', { products: many(1_000) })).toEqual(ok({ created: true }));
  expect(await total()).toBe(1_000);
});

test('products that exist are named by SKU, or by a taken external id, in the order of the request, and nothing is created', async () => {
  const { post, create, total } = await openCatalog();
  await create({ sku: 'B' });
  await create({ sku: 'X', externalId: 'ext-a' });
  const products = [{ sku: 'C' }, { sku: 'B' }, { sku: 'A', externalId: 'ext-a' }].map((each) => ({ name: 'n', ...each }));
  expect(await post('/products/bulk-create', { products })).toEqual(taken('B', 'ext-a'));
  expect(await total()).toBe(2);
});

test('duplicates within one request are conflicts too', async () => {
  const { post, total } = await openCatalog();
  const bulk = (products: object[]) =>
    post('/products/bulk-create', { products: products.map((each) => ({ name: 'n', ...each })) });
  expect(await bulk([{ sku: 'A' }, { sku: 'B' }, { sku: 'A' }])).toEqual(taken('A'));
  expect(
    await bulk([
      { sku: 'A', externalId: 'e' },
      { sku: 'B', externalId: 'e' },
    ]),
  ).toEqual(taken('e'));
  expect(await total()).toBe(0);
});

test('in the graph, a conflict tells which key of which product is taken or repeated', async () => {
  const { create, organization } = await openCatalog();
  await create({ sku: 'A', externalId: 'e' });
  const products = [
    { sku: 'A', externalId: 'e' },
    { sku: 'B', externalId: 'f' },
    { sku: 'C', externalId: 'e' },
    { sku: 'B', externalId: 'f' },
  ].map((each) => ({ name: 'n', ...each }));
  const query = 'mutation ($products: [NewProduct!]!) { createProducts(products: $products) { ids } }';
  const { body } = await caller(organization.key).post('/graphql', { query, variables: { products } });
  expect(body.errors[0]).toMatchObject({
    message: taken('A', 'e', 'B').body.message,
    extensions: {
      code: 'CONFLICT',
      details: {
        conflicts: [
          { index: 0, field: 'sku', value: 'A', reason: 'exists' },
          { index: 3, field: 'sku', value: 'B', reason: 'repeated' },
          { index: 0, field: 'externalId', value: 'e', reason: 'exists' },
          { index: 2, field: 'externalId', value: 'e', reason: 'exists' },
          { index: 3, field: 'externalId', value: 'f', reason: 'repeated' },
        ],
      },
    },
  });
});

test('SKUs that differ in case are different', async () => {
  const { post } = await openCatalog();
  expect(
    await post('/products/bulk-create', {
      products: [
        { sku: 'a', name: 'n' },
        { sku: 'A', name: 'n' },
      ],
    }),
  ).toEqual(ok({ created: true }));
});

test('a single create conflicts with the same sentence', async () => {
  const { post, create } = await openCatalog();
  await create({ sku: 'A', externalId: 'e' });
  expect(await post('/products/create', { sku: 'A', name: 'n' })).toEqual(taken('A'));
  expect(await post('/products/create', { sku: 'B', name: 'n', externalId: 'e' })).toEqual(taken('e'));
});

test('another organization may have the same SKUs and external ids', async () => {
  const [one, other] = [await openCatalog(), await openCatalog()];
  for (const { post } of [one, other])
    expect(await post('/products/create', { sku: 'A', name: 'n', externalId: 'e' })).toMatchObject({ status: 200 });
});

test('one of several concurrent creates of a SKU succeeds', async () => {
  const { post, total } = await openCatalog();
  const answers = await Promise.all(many(8).map(() => post('/products/create', { sku: 'RACE', name: 'n' })));
  const [winners, others] = [answers.filter(({ status }) => status === 200), answers.filter(({ status }) => status !== 200)];
  expect(winners).toHaveLength(1);
  expect(others).toEqual(Array(7).fill(taken('RACE')));
  expect(await total()).toBe(1);
});

test.each([
  ['the same', (products: object[]) => products],
  ['the reverse', (products: object[]) => products.toReversed()],
])('one of several concurrent bulk creates in %s order succeeds completely', async (_, order) => {
  const { post, total } = await openCatalog();
  const products = many(1_000).map((each) => ({ ...each, externalId: `e-${each.sku}` }));
  const answers = await Promise.all(
    [products, order(products), products, order(products)].map((each) => post('/products/bulk-create', { products: each })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect(await total()).toBe(1_000);
});

test('one invalid product rejects the whole request', async () => {
  const { post, total } = await openCatalog();
  const bulk = (last: object) => post('/products/bulk-create', { products: [...many(2), { name: 'n', ...last }] });
  expect(await bulk({})).toEqual(invalid('products[2].sku is required'));
  expect(await bulk({ sku: 'Z', parentId: unknownId })).toEqual(notFound);
  expect(await bulk({ sku: 'Z', isParent: true, parentId: unknownId })).toEqual(
    invalid('a product cannot have both isParent and parentId'),
  );
  expect(await post('/products/bulk-create', {})).toEqual(invalid('products is required'));
  expect(await post('/products/bulk-create', { products: 'all' })).toEqual(invalid('products must be an array'));
  expect(await total()).toBe(0);
});
