import { type Catalog, invalid, notFound, openCatalog, unknownId } from './catalog.ts';

let catalog: Catalog;
let parent: string;
let n = 0;
beforeAll(async () => {
  catalog = await openCatalog();
  parent = await catalog.create({ sku: 'PARENT', name: 'Family', isParent: true });
});

const product = (more: object) => ({ sku: `G${n++}`, name: 'Anvil', ...more });
const both = invalid('a product cannot have both isParent and parentId');
const noParent = invalid('parentId must name a product that is a parent');
const groupOf = async (id: string) => {
  const { parentId, isParent } = (await catalog.post(`/products/${id}/get`)).body.data;
  return { parentId, isParent };
};

test('a product is not both a parent and a variant', async () => {
  expect(await catalog.post('/products/create', product({ isParent: true, parentId: parent }))).toEqual(both);
  const variant = await catalog.create(product({ parentId: parent }));
  expect(await catalog.post(`/products/${variant}/update`, product({ isParent: true }))).toEqual(both);
  expect(await groupOf(variant)).toEqual({ parentId: parent, isParent: false });
});

test('the parent of a variant is a product that is a parent', async () => {
  const plain = await catalog.create(product({}));
  const variant = await catalog.create(product({ parentId: parent }));
  for (const parentId of [plain, variant]) {
    expect(await catalog.post('/products/create', product({ parentId }))).toEqual(noParent);
    expect(await catalog.post(`/products/${await catalog.create(product({}))}/update`, product({ parentId }))).toEqual(noParent);
  }
});

test('an unknown parent is 404, also one of another organization', async () => {
  const stranger = await (await openCatalog()).create({ sku: 'STRANGER', isParent: true });
  const variant = await catalog.create(product({}));
  for (const parentId of [unknownId, 'no-id', '', stranger]) {
    expect(await catalog.post('/products/create', product({ parentId }))).toEqual(notFound);
    expect(await catalog.post(`/products/${variant}/update`, product({ parentId }))).toEqual(notFound);
  }
});

test('a parent with variants stays a parent', async () => {
  const family = await catalog.create(product({ isParent: true }));
  await catalog.create(product({ parentId: family }));
  const must = invalid('a product with variants must stay a parent');
  expect(await catalog.post(`/products/${family}/update`, product({ isParent: false }))).toEqual(must);
  expect(await catalog.post(`/products/${family}/update`, product({ isParent: null }))).toEqual(must);
  expect(await catalog.post(`/products/${family}/update`, product({ isParent: false, parentId: parent }))).toEqual(must);
  expect(await groupOf(family)).toEqual({ parentId: null, isParent: true });
});

test('a parent without variants may become a variant, and a variant a parent', async () => {
  const id = await catalog.create(product({ isParent: true }));
  expect(await catalog.post(`/products/${id}/update`, product({ isParent: null, parentId: parent }))).toMatchObject({
    status: 200,
  });
  expect(await groupOf(id)).toEqual({ parentId: parent, isParent: false });
  expect(await catalog.post(`/products/${id}/update`, product({ isParent: true, parentId: null }))).toMatchObject({ status: 200 });
  expect(await groupOf(id)).toEqual({ parentId: null, isParent: true });
});

test('a product is not its own parent', async () => {
  const id = await catalog.create(product({}));
  for (const parentId of [id, id.toUpperCase()]) {
    expect(await catalog.post(`/products/${id}/update`, product({ parentId }))).toMatchObject({ status: 400 });
  }
});

test('lists name the parent of a variant', async () => {
  const sku = `VARIANT-${n++}`;
  await catalog.create({ sku, parentId: parent });
  const { products } = (await catalog.post('/products/get', { search: sku })).body.data;
  expect(products).toMatchObject([{ parentId: parent, parentName: 'Family', isParent: false }]);
});

test('deleting a parent detaches its variants', async () => {
  const family = await catalog.create(product({ isParent: true }));
  const variants = [await catalog.create(product({ parentId: family })), await catalog.create(product({ parentId: family }))];
  await catalog.post(`/products/${family}/delete`);
  for (const variant of variants) expect(await groupOf(variant)).toEqual({ parentId: null, isParent: false });
});

test('the parent id of a variant is case-insensitive', async () => {
  const { graphql } = catalog;
  const create = 'mutation ($products: [NewProduct!]!) { createProducts(products: $products) { ids } }';
  const products = [parent, parent.toUpperCase()].map((parentId) => product({ parentId }));
  const { ids } = (await graphql(create, { products })).createProducts;
  for (const id of ids) expect(await groupOf(id)).toEqual({ parentId: parent, isParent: false });
});

test('a parent cannot become non-parent while a variant joins it concurrently', async () => {
  for (let round = 0; round < 10; round++) {
    const family = await catalog.create(product({ isParent: true }));
    const answers = await Promise.all([
      catalog.post(`/products/${family}/update`, product({ isParent: false })),
      catalog.post('/products/create', product({ parentId: family })),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  }
});

test('concurrent requests that form a cycle cause no internal error', async () => {
  const [one, other] = [await catalog.create(product({ isParent: true })), await catalog.create(product({ isParent: true }))];
  const join = (id: string, parentId: string) => catalog.post(`/products/${id}/update`, product({ isParent: false, parentId }));
  const answers = await Promise.all([join(one, other), join(other, one)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test('a parent can be deleted while its variants change', async () => {
  const family = await catalog.create(product({ isParent: true }));
  const variants = await Promise.all(Array.from({ length: 12 }, () => catalog.create(product({ parentId: family }))));
  const answers = await Promise.all([
    ...variants.map((id) => catalog.post(`/products/${id}/update`, product({ parentId: family }))),
    catalog.post(`/products/${family}/delete`),
  ]);
  expect(answers.at(-1)).toMatchObject({ status: 200 });
  expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true);
  for (const id of variants) expect(await groupOf(id)).toEqual({ parentId: null, isParent: false });
});
