import type { SourceRequest } from 'compiled-gateway';
import * as fc from 'fast-check';
import type { GraphQLFormattedError } from 'graphql';
import { executeSync, getIntrospectionQuery, parse, print, validate } from 'graphql';
import type { Gateway } from '../../../gateway/compiled-gateway.ts';
import { createGateway } from '../../../gateway/compiled-gateway.ts';
import { unconditional } from '../../../gateway/planner/prepare-document.ts';
import { anyone, ask, federate, gatewayOf, plain, read } from '../support/federation.ts';
import { operations } from '../support/operations.ts';
import type { Oracle } from '../support/oracle.ts';
import { oracleOf } from '../support/oracle.ts';
import { shop } from '../support/shop.ts';

const federation = federate(shop);
const gateway: Gateway = gatewayOf(federation);
let apollo: Oracle;
beforeAll(async () => {
  apollo = await oracleOf(federation);
});
afterAll(() => gateway.close());

const runs = Number(process.env.PLAN_RUNS ?? 300);
// A fixed seed makes runs reproducible; `npm run fuzz:gateway` searches for new cases.
const seed = Number(process.env.PLAN_SEED ?? 1);

/** Apollo reports one error per known path, with other codes and `@` for unknown indexes. */
const told = (errors: readonly GraphQLFormattedError[] = []) =>
  [
    ...new Set(
      errors.map(
        ({ message, extensions }) => `${String(extensions?.code).replace('DOWNSTREAM_SERVICE', 'INTERNAL_SERVER')} ${message}`,
      ),
    ),
  ].sort();

/** Apollo sends entities with null keys and gets errors. This gateway does not send them. */
const isSaid = (ours: readonly string[]) => (error: string) => ours.includes(error) || !/Cannot return null.*\.id\.$/.test(error);

/** Every element of an error path exists in the response, up to the null. */
const leads = (data: unknown, path: readonly (string | number)[] = []): boolean =>
  data !== undefined &&
  (path.length === 0 || data === null || leads((data as Record<string | number, unknown>)[path[0]!], path.slice(1)));

test('responses equal those of Apollo for any operation', async () => {
  await fc.assert(
    fc.asyncProperty(operations(gateway.schema), async ({ text: written, variables }) => {
      fc.pre(validate(gateway.schema, parse(written)).length === 0);
      // Apollo's plans drop fields next to conditional ones, so both run the rewritten document.
      fc.pre(!(/@(skip|include)/.test(written) && /shipping|volume/.test(written)));
      const text = print(unconditional(parse(written), gateway.schema));
      const [ours, theirs] = await Promise.all([ask(gateway, text, variables), apollo(text, variables)]);
      expect(ours.data).toEqual(theirs.data);
      // This gateway adds an error if no field remains.
      if (theirs.errors || theirs.data !== null)
        expect(told(ours.errors)).toEqual(told(theirs.errors).filter(isSaid(told(ours.errors))));
      expect(ours.errors?.filter(({ path }) => !leads(ours.data, path)) ?? []).toEqual([]);
    }),
    // Shrinking would take minutes; reduce the counterexample manually.
    { numRuns: runs, endOnFailure: true, seed },
  );
});

test('response keys follow the order of the selection', async () => {
  const { data } = await ask(gateway, '{ book(id: "b1") { rating price ...F id } __typename } fragment F on Book { name isbn }');
  expect(JSON.stringify(data)).toBe('{"book":{"rating":4.5,"price":10,"name":"Graphs","isbn":"1","id":"b1"},"__typename":"Query"}');
});

test('an entity at several paths is fetched once', async () => {
  const seen: SourceRequest[] = [];
  const counted = gatewayOf(federation, {}, seen);
  await ask(counted, '{ warehouses { grid { id ... on Book { rating } } } }');
  const ids = seen
    .flatMap(({ variables }) => (variables.representations as { id: string }[] | undefined) ?? [])
    .map(({ id }) => id);
  expect(ids.filter((id) => id === 'b1').length).toBe(1);
});

test('introspection works together with other fields', async () => {
  const text = `query ($name: String!, $with: Boolean!) {
    __typename
    kind: __type(name: $name) { enumValues { name } }
    ...Hidden @include(if: $with)
    book(id: "b1") { id }
  }
  fragment Hidden on Query { hidden: __type(name: "Hidden") { name } __schema { queryType { name } } }`;
  expect(await ask(gateway, text, { name: 'Kind', with: true })).toEqual({
    data: {
      __typename: 'Query',
      kind: { enumValues: [{ name: 'PAPER' }, { name: 'DIGITAL' }] },
      hidden: null,
      __schema: { queryType: { name: 'Query' } },
      book: { id: 'b1' },
    },
  });
  expect(Object.keys((await ask(gateway, text, { name: 'Kind', with: false })).data!)).toEqual(['__typename', 'kind', 'book']);
});

test('introspection fields work below the root', async () => {
  const text = 'mutation { touch(id: "b1") { query { __type(name: "Size") { kind } } } }';
  expect(await ask(gateway, text)).toEqual({ data: { touch: { query: { __type: { kind: 'OBJECT' } } } } });
});

test('the introspection result equals that of graphql-js', async () => {
  const text = getIntrospectionQuery();
  expect(await ask(gateway, text)).toEqual(plain(executeSync({ schema: gateway.schema, document: parse(text) })));
});

test('inaccessible fields do not exist', async () => {
  expect(await ask(gateway, '{ odd { id __typename } book(id: "b3") { kind } }')).toEqual({
    data: { odd: null, book: { kind: null } },
  });
});

test('@stream is rejected', () => {
  const document = parse('{ books @stream { id } }');
  expect(() => gateway.prepare(document)).toThrow('@stream is not supported');
});

test('the named operation runs', async () => {
  const document = parse('query A { a: __typename } query B { b: __typename }');
  expect(read(await gateway.operation(document, 'B').execute({}, anyone))).toEqual({ data: { b: 'Query' } });
  expect(gateway.operation(document, 'B')).toBe(
    gateway.operation(parse('query A { a: __typename } query B { b: __typename }'), 'B'),
  );
  expect(() => gateway.prepare(document, { operationName: 'C' })).toThrow('The document has no operation named C');
});

test('an operation name with a part of the text does not select the operation of another text', () => {
  gateway.operation(parse('query C { c: __typename } query D { d: __typename }'), 'C');
  const name = 'C\nquery C {\n  c: __typename\n}\n';
  expect(() => gateway.operation(parse('query D { d: __typename }'), name)).toThrow('The document has no operation named C');
});

test('a subgraph without a source is reported immediately', () => {
  expect(() => createGateway({ supergraph: federation.supergraph, sources: {} })).toThrow('No source for catalog, reviews, stock');
});

test('fields that conflict inside a subgraph have their own response names', async () => {
  const rows: Record<string, unknown>[] = [
    { __typename: 'A', id: '1', label: 'one', size: { w: 1 } },
    { __typename: 'B', id: '2', label: '', size: { w: 0 } },
    { __typename: 'B', id: '3', label: new Error('No label'), size: null },
  ];
  const types = `
    type A implements Named @key(fields: "id") { id: ID! label: String! @shareable size: Size! @shareable }
    type B implements Named @key(fields: "id") { id: ID! label: String @shareable size: Size @shareable }
    type Size @shareable { w: Int }`;
  const clashing = federate([
    {
      name: 'narrow',
      typeDefs: `type Query { all: [Named] } interface Named { id: ID! } ${types}`,
      resolvers: { Query: { all: () => rows } },
    },
    { name: 'wide', typeDefs: `interface Named { id: ID! label: String size: Size } ${types}` },
  ]);
  const seen: SourceRequest[] = [];
  expect(await ask(gatewayOf(clashing, {}, seen), '{ all { label size { w } } }')).toEqual({
    data: {
      all: [
        { label: 'one', size: { w: 1 } },
        { label: '', size: { w: 0 } },
        { label: null, size: null },
      ],
    },
    errors: [{ message: 'No label', path: ['all', 2, 'label'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
  });
  expect(seen[0]!.text).toContain('label__alias_0');
});
