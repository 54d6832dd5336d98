import { composeServices } from '@apollo/composition';
import { buildSubgraphSchema } from '@apollo/subgraph';
import type { SourceRequest } from 'compiled-gateway';
import { parse, validate } from 'graphql';
import { federate, subgraph } from '../support/federation.ts';
import type { Front } from '../support/fronts.ts';

type Row = Record<
  'id' | 'place' | 'label' | 'cents' | 'currency' | 'first' | 'price' | 'average' | 'plus' | 'text' | 'weight',
  never
>;

/** Keys, aliases, directives and unresolvable selections. */
export function federationCases({ ask, gatewayOf }: Front): void {
  describe('a subgraph with resolvable and unresolvable keys', () => {
    const parts = ['1', '2'].map((id) => ({ id, serial: `s${id}`, place: { row: 'r', shelf: 's', box: `x${id}` } }));
    const keys = (able: string, ...others: string[]) =>
      [...others.map((key) => `@key(fields: "${key}", resolvable: false)`), `@key(fields: "${able}")`].join(' ');
    const fields = 'id: ID! serial: ID! place: Place!';
    const place = 'type Place @shareable { row: ID! shelf: ID! box: ID! }';
    const gateway = gatewayOf(
      federate([
        subgraph('labels', `type Part ${keys('id', 'serial', 'place { row shelf }')} { ${fields} label: String! } ${place}`, {
          Part: { __resolveReference: ({ id }: Row) => ({ id, label: `Part ${id}` }) },
        }),
        subgraph(
          'crates',
          `type Query { parts: [Part!]! }
         type Part ${keys('id place { shelf box }', 'place { row shelf }', 'serial', 'id')} {
           ${fields} label: String! @external tag: String! @requires(fields: "label")
         } ${place}`,
          {
            Query: { parts: () => parts },
            Part: {
              __resolveReference({ id, place: at, ...more }: Row) {
                if (!id || !at) throw new Error('Not by this key');
                return { id, place: at, ...more };
              },
              tag: ({ id, label }: Row) => `${id}: ${label}`,
            },
          },
        ),
      ]),
    );

    test('is reached by the resolvable keys', async () => {
      expect(await ask(gateway, '{ parts { label tag } }')).toEqual({
        data: { parts: ['1', '2'].map((id) => ({ label: `Part ${id}`, tag: `${id}: Part ${id}` })) },
      });
    });
  });

  describe('an alias', () => {
    const gateway = gatewayOf(
      federate([
        subgraph(
          'names',
          'type Query { all: [Thing!]! } type Thing @key(fields: "id") { id: ID! name: String weight: Int height: Int }',
          {
            Query: { all: () => [{ id: '1', name: 'One', weight: 3, height: 9 }] },
          },
        ),
        subgraph(
          'colors',
          'type Thing @key(fields: "id") { id: ID! color: String weight: Int @external cost: Int @requires(fields: "weight") fails: Int }',
          {
            Thing: {
              __resolveReference: (thing: Row) => thing,
              color: ({ id }: Row) => `color ${id}`,
              cost: ({ weight }: Row) => weight * 10,
              fails: () => {
                throw new Error('No');
              },
            },
          },
        ),
      ]),
    );

    test.each([
      ['of a key', '{ all { id: name color } }', { id: 'One', color: 'color 1' }],
      ['of a requirement', '{ all { weight: height cost } }', { weight: 9, cost: 30 }],
      ['of the type', '{ all { __typename: name color } }', { __typename: 'One', color: 'color 1' }],
      ['that looks like one of the gateway', '{ all { id: name id__as: height cost } }', { id: 'One', id__as: 9, cost: 30 }],
    ])('%s does not replace the aliased field', async (_, text, thing) => {
      expect(await ask(gateway, text)).toEqual({ data: { all: [thing] } });
    });

    test('appears in error paths', async () => {
      expect((await ask(gateway, '{ all { name: id weight: fails } }')).errors).toEqual([
        { message: 'No', path: ['all', 0, 'weight'], extensions: { code: 'INTERNAL_SERVER_ERROR' } },
      ]);
    });
  });

  describe('a field that composes but cannot be resolved', () => {
    const gateway = gatewayOf(
      federate([
        subgraph('shapes', 'type Query { shape: Shape } interface Shape @key(fields: "id") { id: ID! }'),
        subgraph(
          'sizes',
          'type Query { sized: Shape } type Shape @key(fields: "id", resolvable: false) @interfaceObject { id: ID! size: Int }',
          { Query: { sized: () => ({ id: '1' }) }, Shape: { size: () => 5 } },
        ),
      ]),
    );

    test('rejects the whole operation', async () => {
      expect(() => gateway.prepare(parse('{ shape { size } }'))).toThrow('No subgraph can resolve the selection below shape');
      expect(await ask(gateway, '{ sized { id size } }')).toEqual({ data: { sized: { id: '1', size: 5 } } });
    });

    test('has an error message for the caller', () => {
      const half = (name: string, own: string, other: string) =>
        subgraph(
          name,
          `type Query { node: Node @shareable } interface Node { id: ID! }
         type ${own} implements Node @key(fields: "id") { id: ID! }
         type ${other} implements Node @key(fields: "id") { id: ID! @external ${name}: Int }`,
        );
      const apart = gatewayOf(federate([half('a', 'A', 'B'), half('b', 'B', 'A')]));
      expect(() => apart.prepare(parse('{ node { id } }'))).toThrow('The subgraphs cannot resolve this selection');
    });
  });

  test('mutations of several subgraphs run one after the other', async () => {
    const log: string[] = [];
    const step = (name: string) =>
      subgraph(name, `type Query { ${name}_: Int } type Mutation { ${name}(number: Int!): [String!]! }`, {
        Mutation: {
          async [name](_: unknown, { number }: { number: number }) {
            await new Promise((resolve) => setTimeout(resolve, 10 - number));
            log.push(`${name}${number}`);
            return [...log];
          },
        },
      });
    const gateway = gatewayOf(federate([step('one'), step('two')]));
    const text = 'mutation { a: one(number: 1) b: two(number: 2) c: one(number: 3) d: one(number: 4) e: two(number: 5) }';
    const { data } = await ask(gateway, text);
    expect(data).toMatchObject({ a: ['one1'], e: ['one1', 'two2', 'one3', 'one4', 'two5'] });
  });

  test('an object is fetched although all its fields are skipped', async () => {
    const gateway = gatewayOf(
      federate([subgraph('one', 'type Query { list: [Item] } type Item { a: Int }', { Query: { list: () => [{ a: 1 }, null] } })]),
    );
    const text =
      'query ($on: Boolean!) { list { ... @include(if: $on) { a } ...F @skip(if: $on) } } fragment F on Item { a @include(if: $on) }';
    expect(await ask(gateway, text, { on: false })).toEqual({ data: { list: [{}, null] } });
    expect(await ask(gateway, text, { on: true })).toEqual({ data: { list: [{ a: 1 }, null] } });
  });

  test('subgraph directives apply to callers, and their defaults reach subgraphs without them', async () => {
    const link = `extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@composeDirective"])
    @link(url: "https://example.org/trace/v1.0", import: ["@trace"])
    @composeDirective(name: "@trace")
    enum Level { ALL NONE }`;
    const made = ['a', 'b'].map((name) => {
      const typeDefs = parse(
        `${link} directive @trace(level: Level!${name === 'b' ? ' = ALL' : ''}) on FIELD type Query { ${name}: String }`,
      );
      return { name, typeDefs, resolvers: { Query: { [name]: () => name } } };
    });
    const seen: SourceRequest[] = [];
    const supergraph = composeServices(made).supergraphSdl!;
    const schemas = Object.fromEntries(made.map((each) => [each.name, buildSubgraphSchema([each])]));
    const gateway = gatewayOf({ supergraph, schemas }, {}, seen);
    const text = '{ a @trace b @trace(level: NONE) }';
    expect(validate(gateway.schema, parse(text))).toEqual([]);
    expect(await ask(gateway, text)).toEqual({ data: { a: 'a', b: 'b' } });
    expect(seen.map((request) => request.text).join()).toMatch(/a\s*@trace\(level:\s*ALL\).*b\s*@trace\(level:\s*NONE\)/s);
  });
}
