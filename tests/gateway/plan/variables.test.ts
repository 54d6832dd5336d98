import type { SourceRequest } from 'compiled-gateway';
import { parse } from 'graphql';
import { ask, federate, gatewayOf } from '../support/federation.ts';

const seen: SourceRequest[] = [];
const federation = federate([
  {
    name: 'shop',
    typeDefs: `
      type Query { find(page: Int, ratio: Float, id: ID, on: Boolean, kind: Kind, kinds: [Kind!], any: JSON, model: Model, text: String): String }
      type Mutation { create(input: NewProduct!): String  createAll(products: [NewProduct!]!): String }
      input NewProduct { sku: String! name: String page: Int = 1 tags: [String!] parts: [NewProduct!] extra: JSON }
      enum Kind { book toy }
      scalar JSON
      scalar Model`,
    resolvers: {
      Query: { find: () => 'found' },
      Mutation: { create: () => 'made', createAll: () => 'made' },
    },
  },
]);
const models = ['budget-v1', 'pro-v1'];
const gateway = gatewayOf(
  federation,
  {
    scalars: {
      Model: {
        parseValue(value) {
          if (!models.includes(value as string)) throw new TypeError(`must be one of ${models.join(', ')}`);
          return value;
        },
      },
    },
  },
  seen,
);

const find = (name: string, type: string) => (value: unknown) =>
  ask(gateway, `query ($${name}: ${type}) { find(${name}: $${name}) }`, { [name]: value });
const create = (input: unknown) => ask(gateway, 'mutation ($input: NewProduct!) { create(input: $input) }', { input });
const createAll = (products: unknown) =>
  ask(gateway, 'mutation ($products: [NewProduct!]!) { createAll(products: $products) }', { products });
const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
const recursive = (levels: number): unknown => ({ sku: 'a', ...(levels > 0 && { parts: [recursive(levels - 1)] }) });

test.each<[string, () => ReturnType<typeof ask>]>([
  ['sku is required', () => create({})],
  ['sku is required', () => create({ sku: null })],
  ['input is required', () => create(undefined)],
  ['input must be an object', () => create('x')],
  ['products[3].name must be a string', () => createAll([{ sku: 'a' }, { sku: 'b' }, { sku: 'c' }, { sku: 'd', name: 4 }])],
  ['products must be an array', () => createAll({})],
  ['tags must be an array', () => create({ sku: 'a', tags: 5 })],
  ['parts[0].parts[1].sku is required', () => create({ sku: 'a', parts: [{ sku: 'b', parts: [{ sku: 'c' }, {}] }] })],
  ['tags[1] is required', () => create({ sku: 'a', tags: ['x', null] })],
  ['unknown field: foo', () => create({ sku: 'a', foo: 1 })],
  ['unknown field: __proto__', () => create(JSON.parse('{"sku":"a","__proto__":{"x":1}}'))],
  ['unknown field: products[0].foo', () => createAll([{ sku: 'a', foo: 1 }])],
  ['sku is required; page must be an integer; unknown field: foo', () => create({ page: 'x', foo: 1 })],
  ['page must be an integer', () => find('page', 'Int')('1')],
  ['page must be an integer', () => find('page', 'Int')(1.5)],
  ['page must be an integer between -2147483648 and 2147483647', () => find('page', 'Int')(2 ** 31)],
  ['ratio must be a finite number', () => find('ratio', 'Float')(Number.POSITIVE_INFINITY)],
  ['ratio must be between -9007199254740991 and 9007199254740991', () => find('ratio', 'Float')(2 ** 53)],
  ['on must be true or false', () => find('on', 'Boolean')('true')],
  ['id must be a string', () => find('id', 'ID')({})],
  ['kind must be one of book, toy', () => find('kind', 'Kind')('car')],
  ['kind must be one of book, toy', () => find('kind', 'Kind')('constructor')],
  ['kinds[1] must be one of book, toy', () => find('kinds', '[Kind!]')(['toy', 'x'])],
  ['model must be one of budget-v1, pro-v1', () => find('model', 'Model')('gpt')],
  ['text must not contain NUL characters', () => find('text', 'String')('a\0b')],
  ['text must be well-formed Unicode', () => find('text', 'String')('\ud800')],
  ['any.a[1] must not contain NUL characters', () => find('any', 'JSON')({ a: [1, '\0'] })],
  ['any.a\uFFFDb must not contain NUL characters', () => find('any', 'JSON')({ 'a\nb': '\0' })],
  ['any.a has a key that must be well-formed Unicode', () => find('any', 'JSON')({ a: { '\udc00': 1 } })],
  ['any.n must be between -9007199254740991 and 9007199254740991', () => find('any', 'JSON')({ n: 1e300 })],
  ['any must be a finite number', () => find('any', 'JSON')(Number.NaN)],
])('%s', async (message, answer) => {
  seen.length = 0;
  expect(await answer()).toEqual({ errors: [{ message, extensions: { code: 'INVALID_INPUT' } }] });
  expect(seen).toEqual([]);
});

test('at most five faults are reported', async () => {
  const { errors } = await createAll(Array.from({ length: 100 }, () => ({})));
  expect(errors![0]!.message.split('; ')).toHaveLength(5);
});

test('values nest at most 64 levels', async () => {
  expect(await find('any', 'JSON')(nested(64))).toEqual({ data: { find: 'found' } });
  expect((await find('any', 'JSON')(nested(66))).errors![0]!.message).toMatch(/must not be nested deeper than 64 levels$/);
  expect(await create(recursive(30))).toEqual({ data: { create: 'made' } });
  expect((await create(recursive(40))).errors![0]!.message).toMatch(/must not be nested deeper than 64 levels$/);
  expect((await find('any', 'JSON')(nested(5000))).errors![0]!.extensions!.code).toBe('INVALID_INPUT');
});

test('deep, long and wide values of any type are rejected with their fault', async () => {
  const messageOf = async (answer: ReturnType<typeof ask>) => (await answer).errors![0]!.message;
  for (const [name, type] of [
    ['id', 'ID'],
    ['text', 'String'],
  ] as const)
    expect(await messageOf(find(name, type)(nested(5_000)))).toBe(`${name} must be a string`);
  expect(await messageOf(create({ sku: 'a', tags: [nested(5_000)] }))).toBe('tags[0] must be a string');
  expect(await messageOf(create({ sku: 'a', tags: Array(250_001).fill('x') }))).toBe('tags must have at most 250000 entries');
  const unknown = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key${at}`, 1]));
  expect((await messageOf(create({ sku: 'a', ...unknown }))).split('; ')).toHaveLength(5);
});

test('values are coerced once, with the defaults of the schema', async () => {
  seen.length = 0;
  await create({ sku: 'a', tags: 'one', parts: { sku: 'b', page: null } });
  expect(seen[0]!.variables).toEqual({ input: { sku: 'a', page: 1, tags: ['one'], parts: [{ sku: 'b', page: null }] } });
  await ask(gateway, 'query ($id: ID, $page: Int = 3, $text: String) { find(id: $id, page: $page, text: $text) }', { id: 7 });
  expect(seen[1]!.variables).toEqual({ id: '7', page: 3 });
});

test('keys of JSON survive as plain data', async () => {
  seen.length = 0;
  await find('any', 'JSON')(JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}'));
  expect(JSON.stringify(seen[0]!.variables.any)).toBe('{"__proto__":{"polluted":1},"constructor":2}');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('an upload passes as the same instance', async () => {
  seen.length = 0;
  const file = new File(['\0'], 'a.bin');
  await find('any', 'JSON')([file]);
  expect((seen[0]!.variables.any as unknown[])[0]).toBe(file);
});

test('a variable with the name of an object method is absent by default', async () => {
  expect(
    await ask(
      gateway,
      'query ($toString: String, $constructor: String = "x") { find(text: $toString) b: find(text: $constructor) }',
    ),
  ).toEqual({
    data: { find: 'found', b: 'found' },
  });
});

test.each([
  ['{ find(text: "a\\u0000") }', 'a text in the operation must not contain NUL characters'],
  ['{ find(any: 9007199254740993) }', 'a number in the operation must be between -9007199254740991 and 9007199254740991'],
  ['{ find(any: 1e400) }', 'a number in the operation must be a finite number'],
  [`{ find(any: ${'['.repeat(65)}${']'.repeat(65)}) }`, 'a value in the operation must not be nested deeper than 64 levels'],
  ['{ __proto__: find }', '__proto__ cannot be used as a name'],
  ['{ find(any: { __proto__: 1 }) }', '__proto__ cannot be used as a name'],
  ['query ($representations: String) { find(text: $representations) }', '$representations cannot be used as a variable'],
  ['query ($__proto__: String) { find(text: $__proto__) }', '__proto__ cannot be used as a name'],
])('%s is rejected', (text, message) => {
  expect(() => gateway.prepare(parse(text))).toThrow(message);
});
