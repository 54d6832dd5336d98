import { type Catalog, openCatalog } from '../catalog/catalog.ts';
import { caller } from '../support/client.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { attacks } from './attacks.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openCatalog();
});

const html = (value: string) => ({ attributeId: 'a', attributeName: 'Text', attributeType: 'html', value });
const given = Object.fromEntries(attacks.map(([attack], index) => [`text-${index}`, html(attack)]));
const stored = Object.fromEntries(attacks.map(([, cleaned], index) => [`text-${index}`, html(cleaned)]));
const read = async (id: string) =>
  (await catalog.graphql('query ($id: ID!) { product(id: $id) { attributes } }', { id })).product.attributes;
const idOf = async (sku: string): Promise<string> =>
  (await catalog.post('/products/get', { search: sku })).body.data.products[0].id;

test.each<[string, (sku: string) => Promise<unknown>]>([
  ['REST create', (sku) => catalog.post('/products/create', { sku, name: sku, attributes: given })],
  ['REST bulk create', (sku) => catalog.post('/products/bulk-create', { products: [{ sku, name: sku, attributes: given }] })],
  [
    'GraphQL create',
    (sku) =>
      catalog.graphql('mutation ($input: NewProduct!) { createProduct(input: $input) { id } }', {
        input: { sku, name: sku, attributes: given },
      }),
  ],
  [
    'REST update-attributes',
    async (sku) => catalog.post(`/products/${await catalog.create({ sku })}/update-attributes`, { attributes: given }),
  ],
  [
    'GraphQL updateProductAttributes',
    async (sku) =>
      catalog.graphql(
        'mutation ($id: ID!, $attributes: AttributeValues!) { updateProductAttributes(id: $id, attributes: $attributes) { id } }',
        {
          id: await catalog.create({ sku }),
          attributes: given,
        },
      ),
  ],
])('HTML written by %s is sanitized before storage', async (_, write) => {
  const sku = crypto.randomUUID();
  await write(sku);
  expect(await read(await idOf(sku))).toEqual(stored);
});

test('an answer shows the HTML as it is stored', async () => {
  const id = await catalog.create({ sku: 'SHOWN' });
  const { body } = await catalog.post(`/products/${id}/update-attributes`, {
    attributes: { text: html('<p onclick="x()">Hi</p>'), clean: html('<p>a<br>b</p>') },
  });
  expect(body.data.attributes).toEqual({ text: html('<p>Hi</p>'), clean: html('<p>a<br>b</p>') });
});

test('text of other attribute types keeps its tags', async () => {
  const value = { ...html('<script>x()</script>'), attributeType: 'text' };
  const id = await catalog.create({ sku: 'TEXT', attributes: { value } });
  expect(await read(id)).toEqual({ value });
});

const REVIEW = `mutation ($itemId: ID!, $decisions: [Decision!]!) { reviewItem(itemId: $itemId, decisions: $decisions) { id } }`;

test('long HTML is sanitized before the transaction, also with an Idempotency-Key', async () => {
  const long = (text: string) => `<p onclick="x()">${text}</p>`.repeat(1_000);
  const clean = '<p>long</p>'.repeat(1_000);
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
  const product = (sku: string) => ({ sku, name: sku, attributes: { text: html(long('long')) } });
  const { key, slug } = catalog.organization;
  const post = async (path: string, body: object, once: string) =>
    (await caller(key).post(`/api/${slug}${path}`, body, { 'idempotency-key': once })).body;
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
  const created = await post('/products/create', product(one), first);
  expect(created).toMatchObject({ success: true });
  expect(await post('/products/create', product(one), first)).toEqual(created);
  const many = await post('/products/bulk-create', { products: [product(two)] }, second);
  expect(many).toMatchObject({ success: true });
  expect(await post('/products/bulk-create', { products: [product(two)] }, second)).toEqual(many);
  for (const sku of [one, two]) expect((await read(await idOf(sku))).text.value).toBe(clean);
});

test('HTML from reviewers and from variants is sanitized before storage', async () => {
  const { addProducts, enrich, product, api } = await seedCatalog([{ slug: 'description', name: 'Description', type: 'html' }]);
  const [id] = await addProducts([
    { userProvidedRawDataSources: ['This kettle is made for people who like tea.\nMaterial: steel'] },
  ]);
  const { items } = await enrich([id!]);
  const value = '<p>Hi</p><img/src=x/onerror=alert(1)>';
  await api.graphql(REVIEW, { itemId: items[0].id, decisions: [{ slug: 'description', verdict: 'edit', value }] });
  expect((await product(id!)).attributes.description.value).toBe('<p>Hi</p>');
  const again = { slug: 'description', verdict: 'edit', value: '<p onclick="x()">Hi</p>'.repeat(1_000), overrule: true };
  await api.graphql(REVIEW, { itemId: items[0].id, decisions: [again] });
  expect((await product(id!)).attributes.description.value).toBe('<p>Hi</p>'.repeat(1_000));

  const [parent] = await addProducts([{ isParent: true }]);
  // The text type keeps tags, but the attribute of the parent is HTML.
  await addProducts([{ parentId: parent, attributes: { description: { attributeType: 'text', value } } }]);
  const { items: parents } = await enrich([parent!]);
  expect(parents[0].enrichedData.description).toMatchObject({ attributeType: 'html', value: '<p>Hi</p>' });
});
