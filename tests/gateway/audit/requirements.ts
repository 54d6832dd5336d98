import type { SourceRequest } from 'compiled-gateway';
import { federate, subgraph } from '../support/federation.ts';
import type { Front } from '../support/fronts.ts';

type Row = Record<
  'id' | 'place' | 'label' | 'cents' | 'currency' | 'first' | 'price' | 'average' | 'plus' | 'text' | 'weight',
  never
>;

/** Requirements with arguments, conditions and nested fields. */
export function requirementsCases({ ask, gatewayOf }: Front): void {
  describe('a requirement with arguments', () => {
    const goods = [
      { id: '1', cents: 100 },
      { id: '2', cents: 250 },
    ];
    const rates: Record<string, number> = { EUR: 1, USD: 2, GBP: 3 };
    const gateway = (seen?: SourceRequest[]) =>
      gatewayOf(
        federate([
          subgraph(
            'goods',
            `type Query { goods: [Good!]! }
           type Good @key(fields: "id") { id: ID! price(currency: String!): Int kind: Kind notes(first: Int!): [Note!]! }
           type Kind { average(currency: String!): Int }
           type Note { text: String! }`,
            {
              Query: { goods: () => goods },
              Good: {
                __resolveReference: ({ id }: Row) => goods.find((each) => each.id === id),
                price: ({ cents }: Row, { currency }: Row) => cents * rates[currency]!,
                kind: (good: Row) => good,
                notes: (_: Row, { first }: Row) => Array.from({ length: first }, (__, at) => ({ text: `note ${at}` })),
              },
              Kind: { average: ({ cents }: Row, { currency }: Row) => cents * rates[currency]! + 1 },
            },
          ),
          subgraph(
            'tax',
            `type Good @key(fields: "id") {
             id: ID!
             price(currency: String!): Int @external
             kind: Kind @external
             notes(first: Int!): [Note!]! @external
             inEuro: Int @requires(fields: "price(currency: \\"EUR\\")")
             inDollar: Int @requires(fields: "price(currency: \\"USD\\")")
             average: Int @requires(fields: "kind { average(currency: \\"USD\\") }")
             averageInEuro(plus: Int!): Int @requires(fields: "kind { average(currency: \\"EUR\\") }")
             noted: String @requires(fields: "notes(first: 3) { text }")
             plain: String
           }
           type Kind @external { average(currency: String!): Int }
           type Note @external { text: String! }`,
            {
              Good: {
                __resolveReference: (good: Row) => good,
                inEuro: ({ price }: Row) => price,
                inDollar: ({ price }: Row) => price,
                average: ({ kind }: { kind: Row }) => kind.average,
                averageInEuro: ({ kind }: { kind: Row }, { plus }: Row) => kind.average + plus,
                noted: ({ notes }: { notes: Row[] }) => notes.map(({ text }) => text).join(),
                plain: ({ id }: Row) => `plain ${id}`,
              },
            },
          ),
        ]),
        {},
        seen,
      );

    test('is independent of the same field in the selection', async () => {
      expect(await ask(gateway(), '{ goods { price(currency: "GBP") inEuro notes(first: 1) { text } noted } }')).toEqual({
        data: {
          goods: goods.map(({ cents }) => ({
            price: cents * 3,
            inEuro: cents,
            notes: [{ text: 'note 0' }],
            noted: 'note 0,note 1,note 2',
          })),
        },
      });
    });

    test('coexists with other requirements of the same field', async () => {
      const text = 'query ($plus: Int = 5) { goods { inEuro inDollar average averageInEuro(plus: $plus) plain } }';
      expect(await ask(gateway(), text)).toEqual({
        data: {
          goods: goods.map(({ id, cents }) => ({
            inEuro: cents,
            inDollar: cents * 2,
            average: cents * 2 + 1,
            averageInEuro: cents + 6,
            plain: `plain ${id}`,
          })),
        },
      });
    });

    test('under a false condition does not skip the other fields', async () => {
      const seen: SourceRequest[] = [];
      const text = 'query ($on: Boolean!) { goods { plain inEuro @include(if: $on) } }';
      expect(await ask(gateway(seen), text, { on: false })).toEqual({
        data: { goods: [{ plain: 'plain 1' }, { plain: 'plain 2' }] },
      });
      expect(seen).toHaveLength(2);
    });

    test('is fetched once if there is no conflict', async () => {
      const seen: SourceRequest[] = [];
      await ask(gateway(seen), '{ goods { inEuro averageInEuro(plus: 1) noted plain } }');
      expect(seen).toHaveLength(2);
    });
  });

  describe('a requirement under a false condition', () => {
    const box = { size: 4, color: 'red' };
    const seen: SourceRequest[] = [];
    const gateway = gatewayOf(
      federate([
        subgraph('boxes', 'type Parcel @key(fields: "id") { id: ID! box: Box } type Box { size: Int color: String }', {
          Parcel: { __resolveReference: ({ id }: Row) => ({ id, box }) },
        }),
        subgraph(
          'post',
          `type Query { parcel: Parcel }
         type Parcel @key(fields: "id") { id: ID! box: Box @external postage: Int @requires(fields: "box { size }") }
         type Box @external { size: Int }`,
          {
            Query: { parcel: () => ({ id: '1' }) },
            Parcel: { __resolveReference: (parcel: Row) => parcel, postage: (parcel: { box: typeof box }) => parcel.box.size * 2 },
          },
        ),
      ]),
      {},
      seen,
    );

    test.each([
      'parcel { box { color } ... @include(if: $on) { postage } }',
      'parcel { box { color } ... @include(if: $also) { ... @include(if: $on) { postage } } }',
      'parcel { box { color } } ... @include(if: $on) { parcel { ... @skip(if: false) { postage } } }',
      'parcel { ...F @include(if: $on) box { color } }',
    ])('does not use other selected fields: %s', async (selected) => {
      const text = `query ($on: Boolean!, $also: Boolean = true) { ${selected} again: parcel @include(if: $also) { ...F @skip(if: true) id } }
      fragment F on Parcel { postage }`;
      seen.length = 0;
      const parcel = { box: { color: 'red' } };
      expect(await ask(gateway, text, { on: false })).toEqual({ data: { parcel, again: { id: '1' } } });
      expect(seen).toHaveLength(2);
      expect(await ask(gateway, text, { on: true })).toEqual({ data: { parcel: { ...parcel, postage: 8 }, again: { id: '1' } } });
    });
  });

  describe('a requirement below a field of the same subgraph', () => {
    type Trip = { id: string; stops?: { id: string; town?: string }[] };
    const stops = ['t1', 't2'].flatMap((trip) => ['a', 'b'].map((id) => ({ id: `${trip}${id}`, trip, town: `Town ${id}` })));
    const external = () => {
      throw new Error('Only routes knows the stops');
    };
    const gateway = gatewayOf(
      federate([
        subgraph(
          'trips',
          `type Query { trips: [Trip!]! }
         type Trip @key(fields: "id") { id: ID! stops: [Stop!] @external direct: Boolean @requires(fields: "stops { id }") }
         type Stop @key(fields: "id") { id: ID! town: String }`,
          {
            Query: { trips: () => [{ id: 't1' }, { id: 't2' }] },
            Trip: { __resolveReference: (trip: Trip) => ({ ...trip, direct: trip.stops?.length === 0 }), stops: external },
            Stop: { __resolveReference: ({ id }: Row) => stops.find((stop) => stop.id === id) },
          },
        ),
        subgraph(
          'routes',
          `type Trip @key(fields: "id") { id: ID! stops: [Stop!] via: String @requires(fields: "stops { town }") }
         type Stop @key(fields: "id") { id: ID! town: String @external }`,
          {
            Trip: {
              __resolveReference: (trip: Trip) => ({ ...trip, via: trip.stops?.map(({ town }) => town).join(' and ') }),
              stops: ({ id }: Row) => stops.filter(({ trip }) => trip === id).map((stop) => ({ id: stop.id })),
            },
          },
        ),
      ]),
    );

    test.each([
      ['', ''],
      ['together with fields that another field requires', 'direct'],
      ['together with fields that the caller selects', 'stops { id }'],
    ])('is not fetched where that field is external %s', async (_, fields) => {
      const via = (id: string) => ({
        via: 'Town a and Town b',
        ...(fields === 'direct' && { direct: false }),
        ...(fields.startsWith('stops') && { stops: [{ id: `${id}a` }, { id: `${id}b` }] }),
      });
      expect(await ask(gateway, `{ trips { via ${fields} } }`)).toEqual({ data: { trips: [via('t1'), via('t2')] } });
    });
  });

  describe('an interface object', () => {
    const rows = ['Lamp', 'Rug'].map((type) => ({ __typename: type, id: `${type}1`, price: 7 }));
    const found = { __resolveReference: ({ id }: Row) => rows.find((row) => row.id === id) };
    const seen: SourceRequest[] = [];
    const gateway = gatewayOf(
      federate([
        subgraph(
          'wares',
          `type Query { wares: [Ware!]! }
         interface Ware @key(fields: "id") { id: ID! price: Int }
         type Lamp implements Ware @key(fields: "id") { id: ID! price: Int watts: Int }
         type Rug implements Ware @key(fields: "id") { id: ID! price: Int }`,
          { Query: { wares: () => rows }, Ware: found, Lamp: found, Rug: found },
        ),
        subgraph(
          'sales',
          `type Query { first: Ware }
         type Ware @key(fields: "id") @interfaceObject {
           id: ID! sold: Int! price: Int @external worth: Int @requires(fields: "price")
         }`,
          {
            Query: { first: () => ({ id: 'Rug1' }) },
            Ware: { __resolveReference: (ware: Row) => ware, sold: () => 2, worth: ({ price }: Row) => price * 2 },
          },
        ),
      ]),
      {},
      seen,
    );

    test('receives requirements of its implementing types', async () => {
      expect(await ask(gateway, '{ wares { sold ... on Lamp { worth } } }')).toEqual({
        data: { wares: [{ sold: 2, worth: 14 }, { sold: 2 }] },
      });
    });

    test('is never queried for entities without a key', async () => {
      seen.length = 0;
      expect(await ask(gateway, '{ first { id ... on Lamp { worth watts } } }')).toEqual({ data: { first: { id: 'Rug1' } } });
      const told = seen.flatMap(({ variables }) => (variables.representations ?? []) as Record<string, unknown>[]);
      expect(told.filter(({ id }) => id === undefined)).toEqual([]);
    });
  });
}
