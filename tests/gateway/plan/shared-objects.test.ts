import type { SourceRequest } from 'compiled-gateway';
import { parse } from 'graphql';
import { anyone, askInParts, federate, gatewayOf, subgraph } from '../support/federation.ts';

/** Lists have other items each time that they are fetched. */
let fetched = 0;
const rows = () => {
  const first = fetched++ === 0 ? 0 : 7;
  return [first, first + 1].map((at) => ({ id: `p${at}`, word: `word ${at}` }));
};

const shop = subgraph(
  'shop',
  `type Query { page: Page products: [Product!]! newest: Product }
   type Page { nodes: [Product!]! notes: [[Note!]] total: Int figures: Figures }
   type Figures { slow: Int }
   type Note { id: ID! word: String }
   type Product @key(fields: "id") { id: ID! name: String notes: [Note] }`,
  {
    Query: {
      page: () => ({ total: 2, nodes: rows, notes: () => [rows()], figures: { slow: 3 } }),
      products: rows,
      newest: () => rows()[0],
    },
    Product: {
      name: ({ id }: { id: string }) => `Product ${id}`,
      notes: rows,
      __resolveReference: (reference: object) => reference,
    },
  },
);
const reviews = subgraph('reviews', 'type Product @key(fields: "id") { id: ID! stars: Int }', {
  Product: {
    __resolveReference: (reference: object) => reference,
    stars: ({ id }: { id: string }) => Number(id.slice(1)),
  },
});
const gateway = gatewayOf(federate([shop, reviews]));
afterAll(() => gateway.close());
beforeEach(() => {
  fetched = 0;
});

const page = (...keys: string[]) => ({
  page: {
    nodes: [0, 1].map((at) => {
      const all: Record<string, unknown> = { id: `p${at}`, name: `Product p${at}`, stars: at };
      return Object.fromEntries(keys.map((key) => [key, all[key]]));
    }),
  },
});
const notes = { notes: [[0, 1].map((at) => ({ id: `p${at}`, word: `word ${at}` }))] };

test.each([
  ['{ products { id } ... @defer { products { name stars } } }', { products: page('id', 'name', 'stars').page.nodes }],
  [
    '{ page { nodes { id } } ...P @defer } fragment P on Query { page { ...N } } fragment N on Page { nodes { name } }',
    page('id', 'name'),
  ],
  ['{ ... @defer { page { nodes { id } } } ... @defer { page { nodes { name } } } }', page('id', 'name')],
  [
    '{ page { nodes { id } } ... @defer { page { ... @defer { nodes { stars ... @defer { name } } } } } }',
    page('id', 'name', 'stars'),
  ],
  ['{ ... @defer { page { nodes { id } } ... @defer { page { nodes { stars } } } } }', page('id', 'stars')],
  ['{ newest { id } ... @defer { newest { name stars } } }', { newest: page('id', 'name', 'stars').page.nodes[0] }],
  ['{ page { notes { id } } ... @defer { page { notes { word } } } }', { page: notes }],
  [
    'query ($no: Boolean = false) { page { nodes { id } } ... @include(if: true) @defer { page @skip(if: $no) { nodes { name } } } }',
    page('id', 'name'),
  ],
])('the objects of a field are not mixed with those of a later fetch: %s', async (text, data) => {
  const answer = await askInParts(gateway, text);
  expect(answer).toMatchObject({ data, failed: [] });
  expect(answer.errors).toBeUndefined();
  expect(answer.steps.length).toBeGreaterThan(1);
  expect(fetched).toBe(1);
});

test('the part still has the place and label that the caller gave it', async () => {
  const text = '{ page { nodes { id } } ... @defer(label: "later") { page { total nodes { stars } } } }';
  const { deferred } = await gateway.operation(parse(text)).executeInParts!({}, anyone);
  const [{ value }, { done }] = [await deferred!.events.next(), await deferred!.events.next()];
  expect(value!.completed).toEqual([
    { id: '0', path: [], label: 'later', data: '{"page":{"total":2,"nodes":[{"stars":0},{"stars":1}]}}' },
  ]);
  expect(done).toBe(true);
});

test('the other fields of an object that is selected twice are not fetched before the first answer', async () => {
  const seen: SourceRequest[] = [];
  const observed = gatewayOf(federate([shop, reviews]), {}, seen);
  await askInParts(observed, '{ page { total } ... @defer { page { figures { slow } } } }');
  expect(seen.map(({ text }) => text.includes('slow'))).toEqual([false, true]);
  await observed.close();
});
