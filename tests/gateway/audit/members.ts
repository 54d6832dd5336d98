import type { SourceRequest } from 'compiled-gateway';
import { federate, subgraph } from '../support/federation.ts';
import type { Front } from '../support/fronts.ts';

/** Members of unions and interfaces that differ by subgraph. */
export function membersCases({ ask, gatewayOf }: Front): void {
  const spoon = { __typename: 'Spoon', size: 3 };
  const knife = { __typename: 'Knife', id: 'k1', length: 20 };
  const rake = { __typename: 'Rake', id: 'r1', teeth: 9 };

  /** Two subgraphs resolve drawers with spoons. Only the kitchen has knives, and only the shed has rakes. A box has no key. */
  function gateway(kind: 'union' | 'interface', seen?: SourceRequest[]) {
    const subgraphOf = (name: string, own: string, fields: string, things: { __typename: string }[], query: string) => {
      const implementing = kind === 'interface' ? 'implements Thing' : '';
      const drawer = (room: { id: string }) => ({ things: room.id === 'empty' ? [] : things });
      return subgraph(
        name,
        `type Query { ${query}: Room ${query}Box: Box any: Room @shareable }
       type Room @key(fields: "id") { id: ID! drawer: Drawer @shareable ${name}Drawer: Drawer }
       type Box @shareable { drawer: Drawer }
       type Drawer @shareable { things(first: Int): [Thing!]! }
       ${kind === 'union' ? `union Thing = Spoon | ${own}` : 'interface Thing { size: Int }'}
       type Spoon ${implementing} @shareable { size: Int }
       type ${own} ${implementing} @key(fields: "id") { id: ID! size: Int @shareable ${fields} }`,
        {
          Query: { [query]: () => ({ id: 'room' }), [`${query}Box`]: () => ({ drawer: {} }), any: () => ({ id: 'any' }) },
          Room: { __resolveReference: (room: object) => room, drawer, [`${name}Drawer`]: drawer },
          Drawer: { things: (_: unknown, { first = 9 }) => things.slice(0, first) },
        },
      );
    };
    return gatewayOf(
      federate([
        subgraphOf('kitchen', 'Knife', 'length: Int', [spoon, knife], 'cook'),
        subgraphOf('shed', 'Rake', 'teeth: Int', [spoon, rake], 'gardener'),
        subgraph(
          'shop',
          'type Knife @key(fields: "id") { id: ID! price: Int } type Rake @key(fields: "id") { id: ID! price: Int }',
          {
            Knife: { __resolveReference: (item: object) => item, price: () => 12 },
            Rake: { __resolveReference: (item: object) => item, price: () => 30 },
          },
        ),
      ]),
      {},
      seen,
    );
  }

  const all = '{ __typename ... on Spoon { size } ... on Knife { length } ... on Rake { teeth } }';

  describe.each(['union', 'interface'] as const)('members of an %s that only one subgraph knows', (kind) => {
    test('are null where another subgraph can resolve the same path', async () => {
      const seen: SourceRequest[] = [];
      const text = `{ cook { drawer { things ${all} } } gardener { drawer { things ${all} } } }`;
      expect(await ask(gateway(kind, seen), text)).toEqual({
        data: {
          cook: { drawer: { things: [spoon, { __typename: 'Knife', length: null }] } },
          gardener: { drawer: { things: [spoon, { __typename: 'Rake', teeth: null }] } },
        },
      });
      expect(seen).toHaveLength(2);
    });

    test('keep their type where their fields are null', async () => {
      const text = '{ cook { drawer { things { ... on Knife { length price } ... on Rake { teeth } } } } }';
      expect(await ask(gateway(kind), text)).toEqual({
        data: { cook: { drawer: { things: [{}, { length: null, price: null }] } } },
      });
    });

    test('are resolved where the parent belongs to one subgraph', async () => {
      const text = `{ cookBox { drawer { things ${all} } } gardenerBox { drawer { things ${all} } } }`;
      expect(await ask(gateway(kind), text)).toEqual({
        data: {
          cookBox: { drawer: { things: [spoon, { __typename: 'Knife', length: 20 }] } },
          gardenerBox: { drawer: { things: [spoon, { __typename: 'Rake', teeth: 9 }] } },
        },
      });
    });

    test('are resolved below a field of one subgraph, with aliases, arguments and fragments', async () => {
      const text = `query ($first: Int) { gardener { kitchenDrawer { few: things(first: $first) { ...All } } } }
      fragment All on Thing { ... { ...Knives } ... on Rake { teeth } }
      fragment Knives on Knife { length }`;
      expect(await ask(gateway(kind), text, { first: 2 })).toEqual({
        data: { gardener: { kitchenDrawer: { few: [{}, { length: 20 }] } } },
      });
      expect(await ask(gateway(kind), text, { first: 1 })).toEqual({ data: { gardener: { kitchenDrawer: { few: [{}] } } } });
    });

    test('have fields of other subgraphs', async () => {
      const text = '{ cook { kitchenDrawer { things { ... on Knife { length price } ... on Rake { price } } } } }';
      expect(await ask(gateway(kind), text)).toEqual({
        data: { cook: { kitchenDrawer: { things: [{}, { length: 20, price: 12 }] } } },
      });
    });

    test('are empty objects if only other members are selected', async () => {
      expect(await ask(gateway(kind), '{ any { drawer { things { ... on Spoon { size } } } } }')).toEqual({
        data: { any: { drawer: { things: [{ size: 3 }, {}] } } },
      });
    });
  });

  test('fields of a common member come from several subgraphs', async () => {
    const half = (name: string, own: string, query: string) =>
      subgraph(
        name,
        `type Query { ${query}: Box }
       type Box @key(fields: "id") { id: ID! content: [Content!]! @shareable }
       union Content = Coin | ${own}
       type Coin { face: Int @shareable ${name}: String }
       type ${own} { name: String }`,
        {
          Query: { [query]: () => ({ id: '1' }) },
          Box: { __resolveReference: (box: object) => box, content: () => [{ __typename: 'Coin', face: 1, [name]: name }] },
        },
      );
    const boxes = gatewayOf(federate([half('left', 'Pin', 'one'), half('right', 'Nail', 'two')]));
    expect(await ask(boxes, '{ one { content { ... on Coin { face left right } ... on Pin { name } } } }')).toEqual({
      data: { one: { content: [{ face: 1, left: 'left', right: 'right' }] } },
    });
  });
}
