import { expectRefusal, openAttacker } from './attacker.ts';

const attacker = await openAttacker();
const id = await attacker.product();

const text = (value: string) => ({ attributeId: null, attributeName: value, attributeType: 'text', value });
const write = (json: string) => attacker.rest(`/products/${id}/update-attributes`, `{"attributes": {${json}}}`);
const entry = (key: string) => `"${key}": ${JSON.stringify(text('x'))}`;

test('__proto__ is not an attribute key', async () => {
  expectRefusal(await write(entry('__proto__')));
  expectRefusal(await attacker.rest('/products/create', `{"sku": "A", "name": "A", "attributes": {${entry('__proto__')}}}`));
});

test.each([
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'toJSON',
  'valueOf',
  'then',
  '$ref',
  'a.b',
  '0',
  ' ',
  '工具',
  '"',
])('%j is an ordinary key', async (key) => {
  const answer = await write(entry(JSON.stringify(key).slice(1, -1)));
  const { attributes } = JSON.parse(answer.text).data;
  expect(Object.hasOwn(attributes, key)).toBe(true);
  expect(attributes[key]).toEqual(text('x'));
  const { product } = await attacker.ask('query ($id: ID!) { product(id: $id) { attributes } }', { id });
  expect(product.attributes[key]).toEqual(text('x'));
});

test('keys of prototype members do not affect objects', async () => {
  const body =
    '{"sku": "OWN", "name": "A", "__proto__": {"isParent": true, "enriched": true}, "constructor": {"prototype": {"brand": "x"}}, "toString": "x"}';
  const { data } = JSON.parse((await attacker.rest('/products/create', body)).text);
  const { product } = await attacker.ask('query ($id: ID!) { product(id: $id) { isParent enriched brand } }', { id: data.id });
  expect(product).toEqual({ isParent: false, enriched: false, brand: null });
  expectRefusal(await attacker.rest('/products/create', '{"__proto__": {"sku": "A", "name": "A"}}'));
});

test('a value object stores only the documented keys', async () => {
  const odd = '"k": {"attributeType": "text", "value": "x", "__proto__": {"a": 1}, "constructor": 5, "jobId": "forged"}';
  expect(JSON.parse((await write(odd)).text).data.attributes.k).toEqual({
    attributeId: null,
    attributeName: 'k',
    attributeType: 'text',
    value: 'x',
  });
  expectRefusal(await write('"k": {"__proto__": {"attributeType": "text", "value": "x"}}'));
});

test.each([
  ['1,001 keys', Array.from({ length: 1_001 }, (_, n) => entry(`k${n}`)).join()],
  ['a key of 129 characters', entry('k'.repeat(129))],
  ['an empty key', entry('')],
  ['a value of 100,001 characters', `"k": ${JSON.stringify({ attributeType: 'text', value: 'x'.repeat(100_001) })}`],
  ['a list of 1,001 labels', `"k": ${JSON.stringify({ attributeType: 'multiselect', value: Array(1_001).fill('x') })}`],
  ['a value that is nested', '"k": {"attributeType": "text", "value": {"a": {"b": 1}}}'],
])('%s is rejected', async (_, json) => {
  expectRefusal(await write(json));
});
