import { expectRefusal, openAttacker } from './attacker.ts';

const attacker = await openAttacker();
const id = await attacker.product();
afterEach(async () => {
  expect(await attacker.stored()).toBe(1);
});

// Written as JSON escapes, so that the body itself is sound text.
const unstorable = {
  NUL: '\\u0000',
  'a high surrogate alone': '\\ud800',
  'a low surrogate alone': '\\udfff',
  'surrogates in the wrong order': '\\udc00\\ud800',
};
const value = (text: string) => `{"attributeName": "k", "attributeType": "text", "value": "${text}"}`;
const places: [place: string, path: string, body: (text: string) => string][] = [
  ['a SKU', '/products/create', (text) => `{"sku": "a${text}b", "name": "A"}`],
  ['a name', '/products/create', (text) => `{"sku": "A", "name": "${text}"}`],
  ['a source', '/products/create', (text) => `{"sku": "A", "name": "A", "userProvidedRawDataSources": ["${text}"]}`],
  ['an external id', '/products/create', (text) => `{"sku": "A", "name": "A", "externalId": "${text}"}`],
  [
    'a product in bulk',
    '/products/bulk-create',
    (text) => `{"products": [{"sku": "B", "name": "B"}, {"sku": "${text}", "name": "A"}]}`,
  ],
  ['a value of a new product', '/products/create', (text) => `{"sku": "A", "name": "A", "attributes": {"k": ${value(text)}}}`],
  ['a key of a new product', '/products/create', (text) => `{"sku": "A", "name": "A", "attributes": {"k${text}": ${value('x')}}}`],
  ['a value', '/products/ID/update-attributes', (text) => `{"attributes": {"k": ${value(text)}}}`],
  ['a key', '/products/ID/update-attributes', (text) => `{"attributes": {"${text}": ${value('x')}}}`],
  [
    'a label',
    '/products/ID/update-attributes',
    (text) => `{"attributes": {"k": {"attributeType": "multiselect", "value": ["a", "${text}"]}}}`,
  ],
  [
    'an attribute id',
    '/products/ID/update-attributes',
    (text) => `{"attributes": {"k": {"attributeType": "text", "attributeId": "${text}", "value": ""}}}`,
  ],
  ['an update', '/products/ID/update', (text) => `{"sku": "KEPT", "name": "${text}"}`],
  ['a search', '/products/get', (text) => `{"search": "${text}"}`],
  ['a product of a job', '/product-enrichment-jobs/create', (text) => `{"productIds": ["${text}"], "modelType": "budget-v1"}`],
  ['a word', '/product-enrichment-jobs/create', (text) => `{"productIds": ["ID"], "modelType": "${text}"}`],
];

describe.each(Object.entries(unstorable))('%s', (_, text) => {
  test.each(places)('in %s is rejected, and nothing is stored', async (place, path, body) => {
    const answer = await attacker.rest(path.replace('ID', id), body(text).replace('ID', id));
    expectRefusal(answer, place === 'a product of a job' ? [400, 404] : [400]);
    const { product } = await attacker.ask('query ($id: ID!) { product(id: $id) { name attributes } }', { id });
    expect(product).toEqual({ name: 'Kept', attributes: {} });
  });
});
