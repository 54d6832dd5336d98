import type { SourceRequest } from 'compiled-gateway';
import { parse } from 'graphql';
import { federate, subgraph } from '../support/federation.ts';
import type { Front } from '../support/fronts.ts';

/** Conditions on fields that other subgraphs require. */
export function conditionsCases({ ask, gatewayOf }: Front): void {
  describe('an interface object whose fields all have conditions', () => {
    const text = 'query ($on: Boolean!) { upcoming { id @include(if: $on) seats @include(if: $on) } }';
    const halls = (resolvable: boolean) =>
      subgraph(
        'halls',
        `type Query { upcoming: Event }
       type Event @key(fields: "id", resolvable: ${resolvable}) @interfaceObject { id: ID! seats: Int }`,
        { Query: { upcoming: () => ({ id: 'e1', seats: 9 }) } },
      );
    const events = 'type Query { featured: Event } interface Event @key(fields: "id") { id: ID! }';

    test('is not queried for its type', async () => {
      const seen: SourceRequest[] = [];
      const concert = `${events} type Concert implements Event @key(fields: "id") { id: ID! }`;
      const gateway = gatewayOf(federate([halls(true), subgraph('events', concert)]), {}, seen);
      expect(await ask(gateway, text, { on: false })).toEqual({ data: { upcoming: {} } });
      expect(await ask(gateway, text, { on: true })).toEqual({ data: { upcoming: { id: 'e1', seats: 9 } } });
      expect(await ask(gateway, '{ upcoming { seats @skip(if: true) } }')).toEqual({ data: { upcoming: {} } });
      expect(seen).toHaveLength(3);
    });

    test('resolves without a way to determine its type', async () => {
      const gateway = gatewayOf(federate([halls(false), subgraph('events', events)]));
      expect(await ask(gateway, text, { on: true })).toEqual({ data: { upcoming: { id: 'e1', seats: 9 } } });
      expect(() => gateway.prepare(parse('{ upcoming { __typename id } }'))).toThrow('The subgraphs cannot resolve this selection');
    });
  });

  describe('a fetch whose fields are excluded by conditions', () => {
    type Shelf = { id: string; books?: { pages?: number }[] };
    const shelves = [{ id: 's1' }, { id: 's2' }];
    const book = { __resolveReference: ({ id }: Shelf) => ({ id, pages: 100 }) };
    const seen: SourceRequest[] = [];
    const gateway = gatewayOf(
      federate([
        subgraph(
          'rooms',
          'type Query { shelves: [Shelf!]! } type Shelf @key(fields: "id") { id: ID! books: [Book!] } type Book @key(fields: "id") { id: ID! }',
          { Query: { shelves: () => shelves }, Shelf: { books: ({ id }: Shelf) => [{ id: `${id}b` }] } },
        ),
        subgraph('books', 'type Book @key(fields: "id") { id: ID! pages: Int }', { Book: book }),
        subgraph(
          'loads',
          `type Shelf @key(fields: "id") {
           id: ID! wood: String paint: String books: [Book!] @external
           load: Load @requires(fields: "books { pages }") height: Int @requires(fields: "books { pages }")
         }
         type Book @key(fields: "id") { id: ID! pages: Int @external } type Load { grams: Int! }`,
          {
            Shelf: {
              __resolveReference: ({ id, books }: Shelf) => ({
                id,
                load: { grams: books?.map(({ pages }) => pages! * 5)[0] },
                height: books?.map(({ pages }) => pages! / 10)[0],
                wood: 'oak',
                paint: 'red',
              }),
            },
          },
        ),
      ]),
      {},
      seen,
    );
    const asked = () => seen.splice(0).map(({ text }) => text);

    test('is skipped, and so are its requirements', async () => {
      const text =
        'query ($on: Boolean!, $high: Boolean!) { shelves { load @include(if: $on) { grams } height @include(if: $high) } }';
      expect(await ask(gateway, text, { on: false, high: false })).toEqual({ data: { shelves: [{}, {}] } });
      expect(asked().filter((each) => /load|height/.test(each))).toEqual([]);
      expect(await ask(gateway, text, { on: false, high: true })).toEqual({ data: { shelves: [{ height: 10 }, { height: 10 }] } });
      expect(asked().filter((each) => each.includes('load'))).toEqual([]);
      const both = { load: { grams: 500 }, height: 10 };
      expect(await ask(gateway, text, { on: true, high: true })).toEqual({ data: { shelves: [both, both] } });
      asked();
    });

    test('runs if some fields remain', async () => {
      const text = 'query ($wood: Boolean!, $paint: Boolean!) { shelves { wood @include(if: $wood) paint @include(if: $paint) } }';
      expect(await ask(gateway, text, { wood: false, paint: true })).toEqual({
        data: { shelves: [{ paint: 'red' }, { paint: 'red' }] },
      });
      asked();
      expect(await ask(gateway, text, { wood: false, paint: false })).toEqual({ data: { shelves: [{}, {}] } });
      expect(asked()).toHaveLength(1);
    });

    test('is also skipped for root fields', async () => {
      const text = 'query ($a: Boolean!, $b: Boolean!) { a: shelves @include(if: $a) { id } b: shelves @include(if: $b) { id } }';
      expect(await ask(gateway, text, { a: false, b: false })).toEqual({ data: {} });
      expect(asked()).toEqual([]);
      expect(await ask(gateway, text, { a: false, b: true })).toEqual({ data: { b: shelves } });
    });
  });
}
