import { expectTame, openAttacker } from './attacker.ts';

let attacker: Awaited<ReturnType<typeof openAttacker>>;
beforeAll(async () => {
  attacker = await openAttacker();
});
afterEach(async () => {
  expect(await attacker.stored()).toBe(0);
});

const create = 'mutation ($input: NewProduct!) { createProduct(input: $input) { id } }';
const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
const operation = (query: string, variables: unknown = {}) => JSON.stringify({ query, variables });
const product = (more: object) => operation(create, { input: { sku: 'A', name: 'A', ...more } });

const testCase = (input: object) =>
  operation('mutation ($input: NewTestCase!) { createTestCase(testSetId: "x", input: $input) { id } }', {
    input: { name: 'A', messages: ['A'], ...input },
  });

const requests: [name: string, body: string][] = [
  ...[[null], [{}], [[]], [5], -1, [{ kind: null }]].map((checks): [string, string] => [
    `checks of the wrong type: ${JSON.stringify(checks)}`,
    testCase({ checks }),
  ]),
  ['recordings of the wrong type', testCase({ checks: [], recordings: 5 })],
  ['a NUL', product({ name: 'a\0b' })],
  ['a lone surrogate', product({ name: '\ud800' })],
  ['a NUL in a literal', operation('mutation { createProduct(input: {sku: "\\u0000", name: "A"}) { id } }')],
  ['a lone surrogate in a literal', operation('mutation { createProduct(input: {sku: "\\ud800", name: "A"}) { id } }')],
  ['a NUL in a key', product({ attributes: { 'k\0': { attributeType: 'text', value: 'x' } } })],
  ['a lone surrogate in a key', product({ attributes: { '\udc00': { attributeType: 'text', value: 'x' } } })],
  [
    'a NUL in a literal map',
    operation(
      'mutation { createProduct(input: {sku: "A", name: "A", attributes: {k: {attributeType: "text", value: "\\u0000"}}}) { id } }',
    ),
  ],
  [
    '__proto__ in a literal map',
    operation(
      'mutation { createProduct(input: {sku: "A", name: "A", attributes: {__proto__: {attributeType: "text", value: "x"}}}) { id } }',
    ),
  ],
  ['a list for a map', product({ attributes: [] })],
  ['a list for a map in a literal', operation('mutation { createProduct(input: {sku: "A", name: "A", attributes: [1]}) { id } }')],
  ['lists 60 deep', product({ attributes: { k: { attributeType: 'text', value: JSON.parse(nested(60, '[', ']')) } } })],
  ['lists 500 deep', product({ attributes: { k: { attributeType: 'text', value: JSON.parse(nested(500, '[', ']')) } } })],
  [
    'lists 50,000 deep in a literal',
    operation(`mutation { createProduct(input: {sku: "A", name: "A", attributes: ${nested(50_000, '[', ']')}}) { id } }`),
  ],
  ['1e400', `{"query": ${JSON.stringify('query ($n: Int) { products(page: $n) { nodes { id } } }')}, "variables": {"n": 1e400}}`],
  ['1e400 in a literal', operation('query { products(page: 1e400) { nodes { id } } }')],
  ['99999999999999999999 in a literal', operation('query { products(page: 99999999999999999999) { nodes { id } } }')],
  ['page 0', operation('query { products(page: 0) { nodes { id } } }')],
  ['a NUL in a search', operation('query ($s: String!) { products(search: $s) { nodes { id } } }', { s: '\0' })],
  ['a NUL as an id', operation('query ($id: ID!) { product(id: $id) { id } }', { id: '\0' })],
  ['a number as an id', operation('query { product(id: 99999999999999999999) { id } }')],
  ['an id of 10,000 letters', operation('query ($id: ID!) { product(id: $id) { id } }', { id: 'x'.repeat(10_000) })],
  ['wrong types', operation(create, { input: [1, 'a', null] })],
  ['variables that are a list', '{"query": "{ me { id } }", "variables": []}'],
  ['a query that is a number', '{"query": 5}'],
  ['no query', '{}'],
  ['an empty list', '[]'],
  ['a text', '"{ me { id } }"'],
  ['half an object', '{"query": "{ me'],
  ['half a query', operation('query { products {')],
  ['an unknown field', operation('query { password }')],
  ['11 MB', product({ name: 'x'.repeat(11 * 1024 * 1024) })],
];

test.each(requests)('%s is rejected', async (_, body) => {
  const answer = await attacker.graphql(body);
  expectTame(answer);
  const { errors, data, success } = JSON.parse(answer.text);
  if (errors) expect([data ?? null, errors[0].extensions?.code]).not.toEqual([null, 'INTERNAL_SERVER_ERROR']);
  else expect([success, answer.status]).toEqual([false, expect.any(Number)]);
  expect(Object.values(data ?? {}).filter((root) => root !== null)).toEqual([]);
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
  'the content type %j is refused',
  async (type) => {
    const answer = await attacker.graphql(operation('{ me { id } }'), { 'content-type': type || ' ' });
    expectTame(answer);
    expect(answer.status).toBeGreaterThanOrEqual(400);
  },
);
