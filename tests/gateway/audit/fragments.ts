import type { SourceRequest } from 'compiled-gateway';
import { validate } from 'graphql';
import { federate, subgraph } from '../support/federation.ts';
import type { Front } from '../support/fronts.ts';

/** Fragments that subgraphs cannot merge or do not know. */
export function fragmentsCases({ ask, gatewayOf }: Front): void {
  describe('fields that a subgraph could not merge', () => {
    const found = [
      { __typename: 'Song', code: 's1', bars: 4 },
      { __typename: 'Score', code: null, bars: 7 },
    ];
    const seen: SourceRequest[] = [];
    const federation = federate([
      subgraph(
        'library',
        `type Query { found: [Found!]! } union Found = Song | Score
       type Song @shareable { code: ID! bars: Int } type Score @shareable { code: ID bars: Int! }`,
        { Query: { found: () => found } },
      ),
      // Both types are equal here and in the supergraph.
      subgraph(
        'loans',
        'type Query { lent: Song } type Song @shareable { code: ID bars: Int } type Score @shareable { code: ID bars: Int }',
      ),
    ]);
    const gateway = gatewayOf(federation, {}, seen);

    test.each([
      [
        'in fragments without a type',
        '... on Song { ... @include(if: $on) { code } } ... on Score { ... @include(if: $on) { code } }',
      ],
      ['in fragments within them', '... @include(if: $on) { ... on Song { code } ... on Score { code } }'],
      ['in the one and not in the other', '... on Song { ... @include(if: $on) { code } } ... on Score { code @include(if: $on) }'],
      [
        'under an alias',
        '... on Song { ... @include(if: $on) { code: bars } } ... on Score { ... { code: bars @include(if: $on) } }',
      ],
    ])('are fetched under different aliases %s', async (_, fields) => {
      const code = /bars/.test(fields) ? 'bars' : 'code';
      const text = `query ($on: Boolean!) { found { ${fields} } }`;
      expect(await ask(gateway, text, { on: true })).toEqual({ data: { found: found.map((each) => ({ code: each[code] })) } });
      expect(await ask(gateway, text, { on: false })).toEqual({ data: { found: [{}, {}] } });
      expect(seen.flatMap(({ document }) => validate(federation.schemas.library!, document))).toEqual([]);
    });
  });

  describe('a subgraph with other root type names', () => {
    const seen: SourceRequest[] = [];
    const gateway = gatewayOf(
      federate([
        subgraph(
          'tables',
          `schema { query: table_root mutation: change_root }
         type table_root { rows: Int columns: Int } type change_root { insert(row: Int!): Inserted } type Inserted { query: table_root }`,
          { table_root: { rows: () => 3, columns: () => 2 }, change_root: { insert: () => ({ query: {} }) } },
        ),
        subgraph('views', 'schema { query: ViewRoot } type ViewRoot { views: Int }', { ViewRoot: { views: () => 1 } }),
      ]),
      {},
      seen,
    );

    test.each([
      ['in a fragment', 'query ($on: Boolean!) { ... on Query @include(if: $on) { rows views } }', { rows: 3, views: 1 }],
      [
        'in a fragment of several places',
        'mutation { insert(row: 1) { query { ...F } again: query { ...F rows } } } fragment F on Query { rows columns }',
        { insert: { query: { rows: 3, columns: 2 }, again: { rows: 3, columns: 2 } } },
      ],
      [
        'under a condition, of a subgraph that knows them by their own',
        'mutation ($on: Boolean!) { insert(row: 1) { query { __typename views ... on Query @include(if: $on) { rows } } } }',
        { insert: { query: { __typename: 'Query', views: 1, rows: 3 } } },
      ],
    ])('does not receive the root type names of the supergraph %s', async (_, text, data) => {
      expect(await ask(gateway, text, { on: true })).toEqual({ data });
      expect(seen.map((request) => request.text).join()).not.toMatch(/on (Query|Mutation)/);
    });
  });
}
