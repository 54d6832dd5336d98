import { checkSchema, type RecordedOperation, reportOf, schemaOf } from 'compiled-gateway';
import {
  BreakingChangeType,
  findBreakingChanges,
  type GraphQLSchema,
  getOperationAST,
  graphqlSync,
  parse,
  printSchema,
  validate,
} from 'graphql';
import { coerceInputValue } from 'graphql/utilities/coerceInputValue.js';
import { breakingChanges } from '../../gateway/usage/breaking-changes.ts';
import { coordinatesOf } from '../../gateway/usage/coordinates.ts';

const sdl = `
type Query { product(id: ID!, locale: Locale = EN): Product  products(filter: Filter, limit: Int = 10): [Product!]!  search(text: String!): [Found!]!  node(id: ID!): Node }
type Mutation { rename(input: Rename!): Product }
interface Node { id: ID! }
interface Named { name: String }
union Found = Product | Brand
enum Locale { EN DE FR }
enum Sort { NAME PRICE }
input Filter { brand: String  sort: Sort  any: [Filter!]  price: Range }
input Range { min: Float  max: Float }
input Rename { id: ID!  name: String!  note: String }
type Product implements Node & Named { id: ID!  name: String  price: Float!  brand: Brand  tags: [String!]! }
type Brand implements Node & Named { id: ID!  name: String  site: String }
`;
const before = schemaOf(sdl);

/** Requests that clients sent, with their variables. */
const requests: { text: string; variables?: Record<string, unknown> }[] = [
  { text: 'query A($id: ID!) { product(id: $id) { name price } }', variables: { id: '1' } },
  {
    text: 'query B($filter: Filter) { products(filter: $filter) { id tags brand { name } } }',
    variables: { filter: { brand: 'x', sort: 'NAME' } },
  },
  { text: '{ search(text: "x") { ... on Product { id } ... on Named { name } __typename } }' },
  { text: 'mutation C($input: Rename!) { rename(input: $input) { id } }', variables: { input: { id: '1', name: 'x' } } },
  { text: '{ product(id: 1, locale: DE) { name } node(id: 1) { id ... on Brand { site } } }' },
  { text: 'query D($limit: Int) { products(filter: { price: { min: 1 } }, limit: $limit) { name } }' },
];

function record({ text, variables = {} }: (typeof requests)[0]): RecordedOperation {
  const document = parse(text);
  const { used, filled } = coordinatesOf(document, getOperationAST(document)!, before);
  const sent = Object.values(variables).flatMap((value) => namesIn(value, text.includes('Rename') ? 'Rename' : 'Filter'));
  return {
    hash: text.slice(0, 12),
    name: getOperationAST(document)!.name?.value ?? '',
    label: '',
    text,
    coordinates: [...used, ...[...filled.values()].flat(), ...sent],
    requests: 1,
    clients: ['app'],
  };
}

const namesIn = (value: unknown, type: string): string[] =>
  typeof value === 'object' && value !== null
    ? [type, ...Object.entries(value).flatMap(([key, each]) => [`${type}.${key}`, ...(key === 'sort' ? [`Sort.${each}`] : [])])]
    : [];

/** A random edit of one line of the schema. */
function edit(random: () => number): string {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const edits: ((text: string) => string)[] = [
    (text) =>
      text.replace(
        pick([
          'name: String ',
          'site: String ',
          'price: Float! ',
          'tags: [String!]! ',
          'note: String ',
          'sort: Sort ',
          'min: Float ',
          'locale: Locale = EN',
        ]),
        '',
      ),
    (text) => text.replace(pick(['site: String', 'name: String', 'brand: Brand']), (found) => `${found}!`),
    (text) =>
      text.replace(pick(['price: Float!', 'tags: [String!]!', 'id: ID!', 'name: String!', 'text: String!']), (found) =>
        found.slice(0, -1),
      ),
    (text) => text.replace(pick(['EN ', 'DE ', ' FR', 'NAME ', ' PRICE']), ' '),
    (text) => text.replace(pick(['| Brand', 'Product |']), ''),
    (text) => text.replace(pick([' & Named', 'Node & ']), ''),
    (text) =>
      text.replace(
        pick(['input Range {', 'input Filter {', 'input Rename {']),
        (found) => `${found} extra: String${pick(['!', '', '! = "x"'])} `,
      ),
    (text) =>
      text.replace(pick(['product(', 'products(', 'search(', 'node(']), (found) => `${found}extra: Int${pick(['!', ''])}, `),
    (text) => text.replace(pick(['Float', 'String', 'Locale', 'Brand']), pick(['Int', 'ID', 'Sort', 'Float'])),
    (text) => text.replaceAll(pick(['Range', 'Brand', 'Rename', 'Locale']), (found) => `${found}2`),
    (text) => text.replace(pick([' = EN', ' = 10']), ''),
    (text) => text.replace(pick(['limit: Int = 10', 'locale: Locale = EN']), (found) => `${found.split(' =')[0]}!`),
  ];
  let text = sdl;
  for (let count = 1 + Math.floor(random() * 2); count > 0; count -= 1) text = pick(edits)(text);
  return text;
}

function buildable(text: string): GraphQLSchema | undefined {
  try {
    const schema = schemaOf(text);
    const { errors } = graphqlSync({ schema, source: '{ __typename }' });
    return errors ? undefined : schema;
  } catch {
    return undefined;
  }
}

/** Whether a request fails against a schema, or fields that it selects may have values of another type. */
function isRefused({ text, variables = {} }: (typeof requests)[0], schema: GraphQLSchema): boolean {
  const document = parse(text);
  if (validate(schema, document).length > 0) return true;
  for (const definition of getOperationAST(document)!.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    if (variables[name] === undefined) continue;
    const type = schema.getType(/\w+/.exec(printType(definition.type))![0]);
    let failed = false;
    coerceInputValue(variables[name], type as never, () => (failed = true));
    if (failed) return true;
  }
  return false;
}
const printType = (type: unknown): string => JSON.stringify(type).match(/"Name","value":"(\w+)"/)![1]!;

test('no change that is called safe refuses a recorded request, over 1,000 random edits of the schema', () => {
  let state = 42;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  let [edits, judged, breaking, refused] = [0, 0, 0, 0];
  for (; edits < 1_000; ) {
    const after = buildable(edit(random));
    if (!after) continue;
    edits += 1;
    const recorded = requests.slice(0, 1 + Math.floor(random() * requests.length));
    // Long operations are recorded without their text.
    const check = checkSchema(
      before,
      after,
      recorded.map((each) => ({ ...record(each), ...(random() < 0.5 && { text: '' }) })),
    );
    const failing = recorded.filter((request) => isRefused(request, after));
    if (check.verdict === 'safe') expect({ failing, after: printSchema(after) }).toEqual({ failing: [], after: expect.anything() });
    // The reference implementation finds no other kind of change.
    const known = findBreakingChanges(before, after).filter(({ type }) => type !== BreakingChangeType.DIRECTIVE_REMOVED);
    expect(known.length > 0 && breakingChanges(before, after).length === 0 ? known : []).toEqual([]);
    if (check.changes.length > 0) judged += 1;
    if (check.verdict === 'breaks') {
      breaking += 1;
      if (failing.length > 0) refused += 1;
    }
  }
  expect(judged).toBeGreaterThan(500);
  // The others change the types of answers, or require inputs that every request sends already.
  expect(refused / breaking).toBeGreaterThan(0.5);
});

test('a report names the operations and clients that a change breaks', () => {
  const after = schemaOf(sdl.replace('price: Float!', '').replace('site: String', 'site: Int'));
  const check = checkSchema(before, after, [record(requests[0]!)]);
  expect(check.changes.map(({ coordinate, verdict }) => [coordinate, verdict])).toEqual([
    ['Product.price', 'breaks'],
    ['Brand.site', 'safe'],
  ]);
  expect(reportOf(check, 30)).toContain('- Product.price is removed\n  - `A`: 1 requests of `app`');
  expect(checkSchema(before, after, []).verdict).toBe('unknown');
  expect(checkSchema(before, before, []).verdict).toBe('safe');
});

test('operations that an earlier version broke, and such without a text, do not stop later versions', () => {
  const broken = record(requests[0]!);
  const after = schemaOf(sdl.replace('price: Float!', ''));
  expect(checkSchema(before, after, [broken])).toMatchObject({ verdict: 'breaks', invalid: [{ operation: broken }] });
  expect(checkSchema(after, schemaOf(sdl.replace('price: Float!', 'weight: Float')), [broken])).toMatchObject({
    verdict: 'safe',
    invalid: [],
  });
  // A removed field may be one that they used.
  for (const text of ['', 'query {']) {
    const unknown = { ...broken, text, coordinates: [] };
    expect(checkSchema(before, after, [unknown]).verdict).toBe('unknown');
    expect(checkSchema(before, before, [unknown]).verdict).toBe('safe');
  }
  expect(checkSchema(before, after, [{ ...broken, text: '' }]).verdict).toBe('breaks');
});

test('an input of which only one field may be sent is a breaking change', () => {
  const after = schemaOf(sdl.replace('input Range', 'input Range @oneOf'));
  const ranged = record(requests[5]!);
  expect(checkSchema(before, after, [ranged])).toMatchObject({ verdict: 'breaks', changes: [{ coordinate: 'Range' }] });
  expect(checkSchema(before, after, [record(requests[0]!)]).verdict).toBe('safe');
});
