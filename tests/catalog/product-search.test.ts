import { openCatalog } from './catalog.ts';

const catalog = await openCatalog();
const other = await openCatalog();
beforeAll(async () => {
  const makers = { brand: 'Torvik', category: 'Cordless tools' };
  for (const product of [
    { sku: 'TV-DD18', name: 'Torvik DD18 cordless drill driver', mpn: '0.601.9', ...makers },
    { sku: 'TV-JS18', name: 'Torvik JS18 cordless jigsaw', ...makers },
    { sku: 'TV-AG125', name: 'Torvik AG125 angle grinder 125 mm', brand: 'Torvik', category: 'Power tools' },
    { sku: 'NK-1', name: 'Teekanne "Håndlaget" 1,5 l', manufacturer: "L'Atelier & Sønn", category: 'Küche' },
    { sku: 'NK-2', name: "It's 100% \\ ' || :* & ! <-> (a)", category: 'Küche' },
  ])
    await catalog.create(product);
  await other.create({ sku: 'TV-DD18', name: 'Foreign cordless drill' });
});

const find = async (query: string, limit = 10, caller = catalog) => {
  const text = 'query ($query: String!, $limit: Int!) { searchProducts(query: $query, limit: $limit) { sku } }';
  const { searchProducts } = await caller.graphql(text, { query, limit });
  return searchProducts.map(({ sku }: { sku: string }) => sku);
};

test.each([
  ['cordless drill', ['TV-DD18', 'TV-JS18']],
  ['the drills that are cordless', ['TV-DD18', 'TV-JS18']],
  ['TV-JS18', ['TV-JS18']],
  ['js18', ['TV-JS18']],
  ['0.601.9', ['TV-DD18']],
  ['power tools', ['TV-AG125', 'TV-DD18', 'TV-JS18']],
  ['sønn', ['NK-1']],
  ['torvik jigsw', ['TV-JS18', 'TV-DD18', 'TV-AG125']],
  ['grindr', ['TV-AG125']],
])('%j finds products with every word, then with some, else with a similar name', async (query, skus) => {
  const found = await find(query);
  expect(found[0]).toBe(skus[0]);
  expect(new Set(found)).toEqual(new Set(skus));
});

test.each(['', '   ', 'the of', '& | ! <-> :*', "' or 1=1 --", '\\', '"', '%', 'a'.repeat(256), '🙂 '.repeat(80)])(
  'the hostile query %j is text',
  async (query) => {
    expect(await find(query)).toEqual(expect.any(Array));
  },
);

test('a search returns at most `limit` products of the own organization', async () => {
  expect(await find('torvik', 2)).toHaveLength(2);
  expect(await find('drill', 10, other)).toEqual(['TV-DD18']);
  expect(await catalog.refusal('{ searchProducts(query: "x", limit: 51) { sku } }')).toEqual({
    code: 'INVALID_INPUT',
    message: 'limit must be at most 50',
  });
});

test('a product is read by its SKU, with units and the evidence of each value', async () => {
  const attribute = 'mutation { createAttribute(input: { name: "Weight", slug: "weight", type: number, unit: "kg" }) { id } }';
  await catalog.graphql(attribute);
  const { product } = await catalog.graphql('{ product: product(sku: "TV-DD18") { id name } }');
  expect(product.name).toBe('Torvik DD18 cordless drill driver');
  await catalog.graphql(
    'mutation ($id: ID!, $attributes: AttributeValues!) { updateProductAttributes(id: $id, attributes: $attributes) { id } }',
    {
      id: product.id,
      attributes: {
        weight: { attributeType: 'number', value: 1.6 },
        color: { attributeType: 'text', value: null },
        __proto__x: { attributeType: 'text', value: 'x' },
      },
    },
  );
  const read = await catalog.graphql('{ product(sku: "TV-DD18") { values { slug attributeName value unit snippet } } }');
  expect(read.product.values).toEqual([
    { slug: 'color', attributeName: 'color', value: null, unit: null, snippet: null },
    { slug: 'weight', attributeName: 'Weight', value: 1.6, unit: 'kg', snippet: null },
    { slug: '__proto__x', attributeName: '__proto__x', value: 'x', unit: null, snippet: null },
  ]);
  expect(await catalog.refusal('{ product(sku: "tv-none") { id } }')).toEqual({
    code: 'NOT_FOUND',
    message: 'Product not found',
  });
});
