import { createCheck, defaultLimits } from 'compiled-gateway/graphql-over-http';
import { buildSchema, parse } from 'graphql';
import { teachScalars } from '../../../schema/scalars.ts';
import { rootedGateway } from '../support/rooted.ts';

const typeDefs = `
  enum Sort { sku name }
  input New { sku: String!  sort: Sort  size: Int  parts: [New!] }
  type Query { list(sort: Sort, limit: Int, ids: [ID!], on: Boolean, ratio: Float, text: String, filter: New): Int  make(input: New!): Int }
`;
const check = createCheck(buildSchema(typeDefs), { introspection: true, hideSuggestions: false, limits: defaultLimits });
const gateway = rootedGateway(typeDefs, {});
const types: Record<string, string> = {
  sort: 'Sort',
  limit: 'Int',
  ids: '[ID!]',
  on: 'Boolean',
  ratio: 'Float',
  text: 'String',
  filter: 'New',
  input: 'New!',
};

/** The first error of a value that is written into the document. */
const ofLiteral = (argument: string, literal: string) => {
  const [fault] = check(parse(`{ ${argument === 'input' ? 'make' : 'list'}(${argument}: ${literal}) }`)).faults;
  return [fault!.extensions.code, fault!.message];
};
/** The error of the same value in a variable. */
const ofVariable = async (argument: string, value: unknown) => {
  const field = argument === 'input' ? 'make' : 'list';
  const operation = gateway.prepare(parse(`query ($${argument}: ${types[argument]}) { ${field}(${argument}: $${argument}) }`));
  const { errors } = await operation.execute({ [argument]: value }, { headers: {} });
  return [errors![0]!.extensions!.code, errors![0]!.message];
};

test.each<[argument: string, literal: string, value: unknown, message: string]>([
  ['sort', 'price', 'price', 'sort must be one of sku, name'],
  ['limit', '"x"', 'x', 'limit must be an integer'],
  ['on', '1', 1, 'on must be true or false'],
  ['ratio', '"x"', 'x', 'ratio must be a number'],
  ['text', '5', 5, 'text must be a string'],
  ['ids', '["a", true]', ['a', true], 'ids[1] must be a string'],
  ['filter', '{sku: "a", sort: price}', { sku: 'a', sort: 'price' }, 'filter.sort must be one of sku, name'],
  ['filter', '{sku: "a", parts: [{sku: null}]}', { sku: 'a', parts: [{ sku: null }] }, 'filter.parts[0].sku is required'],
  ['filter', '{}', {}, 'filter.sku is required'],
  ['filter', '"x"', 'x', 'filter must be an object'],
  [
    'input',
    '{sku: "a", parts: [{sku: "b", size: 1.5}]}',
    { sku: 'a', parts: [{ sku: 'b', size: 1.5 }] },
    'parts[0].size must be an integer',
  ],
  ['input', '{}', {}, 'sku is required'],
  ['text', '"\\u0000"', '\0', 'text must not contain NUL characters'],
])('%s: %s has one code and one sentence as a literal and as a variable', async (argument, literal, value, message) => {
  expect(ofLiteral(argument, literal)).toEqual(['INVALID_INPUT', message]);
  expect(await ofVariable(argument, value)).toEqual(['INVALID_INPUT', message]);
});

test.each(['other', '5', 'true', '{a: 1}', '["sku"]', '[sku]'])(
  'the literal %s, which a scalar with fixed values refuses, has the code and sentence of a variable',
  (literal) => {
    const schema = buildSchema('scalar ParentFilter  type Query { products(parentFilter: ParentFilter): Int }');
    teachScalars(schema);
    const checked = createCheck(schema, { introspection: true, hideSuggestions: false, limits: defaultLimits });
    const faultsOf = (text: string) => checked(parse(text)).faults.map(({ message, extensions }) => [extensions.code, message]);
    expect(faultsOf(`{ products(parentFilter: ${literal}) }`)).toEqual([
      ['INVALID_INPUT', expect.stringMatching(/^parentFilter must be one of .*parent/)],
    ]);
    for (const accepted of ['"parent"', 'parent']) expect(faultsOf(`{ products(parentFilter: ${accepted}) }`)).toEqual([]);
  },
);

test('an unknown field is named with its path, and a literal gets a suggestion', async () => {
  expect(ofLiteral('filter', '{sku: "a", siz: 1}')).toEqual([
    'INVALID_INPUT',
    'unknown field: filter.siz. Did you mean "size" or "sku"?',
  ]);
  expect(await ofVariable('filter', { sku: 'a', siz: 1 })).toEqual(['INVALID_INPUT', 'unknown field: filter.siz']);
});

test('the default of a variable is named, and unknown fields and arguments stay faults of the document', () => {
  const codes = (text: string) => check(parse(text)).faults.map(({ message, extensions }) => [extensions.code, message]);
  expect(codes('query ($by: Sort = price) { list(sort: $by) }')).toEqual([['INVALID_INPUT', 'by must be one of sku, name']]);
  expect(codes('{ lists }')[0]![0]).toBe('GRAPHQL_VALIDATION_FAILED');
  expect(codes('{ list(size: 1) }')[0]![0]).toBe('GRAPHQL_VALIDATION_FAILED');
});
