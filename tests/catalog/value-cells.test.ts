import { jest } from '@jest/globals';
import pg from 'pg';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());

type Input = Record<string, unknown>;
const text = (value: string | null) => ({ attributeType: 'text', value });
const number = (value: number | null) => ({ attributeType: 'number', value });

const ATTRIBUTE = `mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }`;
const UPSERT = `mutation ($products: [ProductUpsert!]!, $checksLimits: Boolean!) {
  upsertProducts(matchBy: sku, products: $products, checksLimits: $checksLimits) {
    outcome message faults { slug message } product { sku listedValues(slugs: ["color", "weight"]) { values cut } } } }`;
const LIST = `query ($slugs: [String!]!) { products(page: 1, limit: 50, search: "", sortBy: sku, sortOrder: asc, parentFilter: "all", enrichedFilter: "all") {
  nodes { sku listedValues(slugs: $slugs) { values cut } } } }`;
const CELLS = `query ($slugs: [String!]!, $cells: [String!]!, $decimalMark: DecimalMark) {
  cellValues(slugs: $slugs, cells: $cells, decimalMark: $decimalMark) { value problem } }`;

async function open() {
  const { key } = await graph.seed();
  const { ask, refusal } = graph.caller(key);
  const attributes = [
    { slug: 'color', name: 'Color', type: 'text' },
    { slug: 'weight', name: 'Weight', type: 'number', unit: 'kg', constraints: { max: 10 } },
    { slug: 'size', name: 'Size', type: 'select', options: ['S', 'M'] },
    { slug: 'tags', name: 'Tags', type: 'multiselect', options: ['new', 'sale'] },
    { slug: 'waterproof', name: 'Waterproof', type: 'boolean' },
  ];
  for (const each of attributes) await ask(ATTRIBUTE, { input: { subject: 'product', options: [], ...each } });
  return {
    ask,
    refusal,
    upsert: async (products: Input[], checksLimits = false) => (await ask(UPSERT, { products, checksLimits })).upsertProducts,
    listed: async (...slugs: string[]) =>
      (await ask(LIST, { slugs })).products.nodes.map(({ listedValues }: Input) => listedValues),
    cells: async (slugs: string[], cells: string[], decimalMark?: string) =>
      (await ask(CELLS, { slugs, cells, decimalMark })).cellValues,
  };
}

test('a list shows the chosen values of each product, and cuts long ones', async () => {
  const { upsert, listed, refusal } = await open();
  await upsert([
    { sku: 'A', name: 'Lamp', attributes: { color: text('red'), weight: number(4), story: text('x'.repeat(600)) } },
    { sku: 'B', name: 'Chair', attributes: { tags: { attributeType: 'multiselect', value: ['y'.repeat(3_000)] } } },
    { sku: 'C', name: 'Shelf' },
  ]);
  const [lamp, chair, shelf] = await listed('color', 'story', 'tags');
  expect(lamp.values.color).toMatchObject({ attributeName: 'Color', attributeType: 'text', value: 'red' });
  expect(lamp).toMatchObject({ values: { story: { value: 'x'.repeat(500) } }, cut: ['story'] });
  expect(Object.keys(lamp.values).sort()).toEqual(['color', 'story']);
  expect(chair).toMatchObject({ values: { tags: { value: null } }, cut: ['tags'] });
  expect(shelf).toEqual({ values: {}, cut: [] });
  expect(await listed()).toEqual([
    { values: {}, cut: [] },
    { values: {}, cut: [] },
    { values: {}, cut: [] },
  ]);
  expect(await refusal(LIST, { slugs: Array.from({ length: 31 }, (_, at) => `s${at}`) })).toMatch(/^INVALID_INPUT/);
});

test('the values of a page of products cost one statement more than the page without them', async () => {
  const { upsert, listed } = await open();
  const attributes = { color: text('red'), weight: number(4) };
  await upsert(Array.from({ length: 40 }, (_, at) => ({ sku: `S-${at}`, name: 'Lamp', attributes })));
  const statements = async (...slugs: string[]) => {
    const spy = jest.spyOn(pg.Client.prototype, 'query');
    try {
      expect(await listed(...slugs)).toHaveLength(40);
      return spy.mock.calls.length;
    } finally {
      spy.mockRestore();
    }
  };
  const without = await statements();
  expect(await statements('color', 'weight', 'size')).toBe(without + 1);
});

test('fields are changed by id, also the SKU, unless somebody changed them meanwhile', async () => {
  const { ask, refusal, upsert } = await open();
  await upsert([
    { sku: 'A', name: 'Lamp', brand: 'Acme' },
    { sku: 'B', name: 'Chair' },
  ]);
  const { products } = await ask('{ products(sortBy: sku, sortOrder: asc) { nodes { id } } }');
  const [id, other] = products.nodes.map((each: { id: string }) => each.id);
  const EDIT = `mutation ($products: [ProductUpsert!]!) { upsertProducts(matchBy: sku, products: $products) {
    outcome message changedFields product { sku name brand category } } }`;
  const edit = async (change: Input, of = id) => (await ask(EDIT, { products: [{ id: of, ...change }] })).upsertProducts[0];
  expect(await edit({ sku: 'A-1', category: 'Lights', expectedFields: { sku: 'A', category: '' } })).toEqual({
    ...{ outcome: 'updated', message: null, changedFields: [] },
    product: { sku: 'A-1', name: 'Lamp', brand: 'Acme', category: 'Lights' },
  });
  expect(await edit({ sku: 'B', expectedFields: { sku: 'A-1' } })).toMatchObject({
    ...{ outcome: 'refused', message: 'Another product has this sku: B', product: { sku: 'A-1' } },
  });
  expect(await edit({ brand: 'Norrvik', name: 'Lamp 2', expectedFields: { brand: null, name: 'Lamp' } })).toMatchObject({
    ...{ outcome: 'conflict', changedFields: ['brand'], product: { name: 'Lamp', brand: 'Acme' } },
  });
  // It has what the request writes.
  expect(await edit({ brand: 'Acme', expectedFields: { brand: null } })).toMatchObject({ outcome: 'unchanged' });
  expect(await edit({ name: 'x' }, crypto.randomUUID())).toMatchObject({
    outcome: 'refused',
    message: 'The product does not exist',
  });
  expect(await edit({ name: 'x' }, 'no-id')).toMatchObject({ outcome: 'refused', message: 'The product does not exist' });
  expect(
    await refusal(EDIT, {
      products: [
        { id: other, name: 'x' },
        { sku: 'C', name: 'y' },
      ],
    }),
  ).toMatch(/^INVALID_INPUT/);
});

test('a value that somebody changed meanwhile is not overwritten, and a repetition is no conflict', async () => {
  const { upsert } = await open();
  await upsert([{ sku: 'A', name: 'Lamp', attributes: { color: text('red'), weight: number(4) } }]);
  const edit = { sku: 'A', attributes: { color: text('blue') }, expectedAttributes: { color: text('red') } };
  expect(await upsert([edit])).toMatchObject([
    { outcome: 'updated', faults: [], product: { listedValues: { values: { color: { value: 'blue' } } } } },
  ]);
  expect(await upsert([edit])).toMatchObject([{ outcome: 'unchanged' }]);
  const late = { sku: 'A', attributes: { color: text('green'), weight: number(5) }, expectedAttributes: edit.expectedAttributes };
  expect(await upsert([late])).toMatchObject([
    {
      outcome: 'conflict',
      faults: [{ slug: 'color', message: 'Somebody changed the value meanwhile.' }],
      product: { sku: 'A', listedValues: { values: { color: { value: 'blue' }, weight: { value: 4 } } } },
    },
  ]);
  const empty = { sku: 'A', attributes: { color: text(null) }, expectedAttributes: { color: text('blue') } };
  expect(await upsert([empty])).toMatchObject([{ outcome: 'updated' }]);
  const filled = { sku: 'A', attributes: { room: text('Hall') }, expectedAttributes: { room: text(null), color: text(null) } };
  expect(await upsert([filled])).toMatchObject([{ outcome: 'updated' }]);
  expect(await upsert([{ sku: 'GONE', attributes: {}, expectedAttributes: { color: text(null) } }])).toMatchObject([
    { outcome: 'refused', message: 'The product does not exist', product: null },
  ]);
});

test('of several edits of one value at the same time, the first is saved and the others are conflicts', async () => {
  const { upsert, listed } = await open();
  await upsert([{ sku: 'A', name: 'Lamp', attributes: { color: text('red') } }]);
  const colors = Array.from({ length: 8 }, (_, at) => `color ${at}`);
  const results = await Promise.all(
    colors.map((color) => upsert([{ sku: 'A', attributes: { color: text(color) }, expectedAttributes: { color: text('red') } }])),
  );
  const outcomes: string[] = results.map(([{ outcome }]) => outcome);
  expect(outcomes.toSorted()).toEqual([...Array(7).fill('conflict'), 'updated']);
  expect((await listed('color'))[0].values.color.value).toBe(colors[outcomes.indexOf('updated')]);
});

test('values beyond the limits of their attribute are refused on request, but not values that stay', async () => {
  const { upsert } = await open();
  await upsert([{ sku: 'A', name: 'Lamp', attributes: { weight: number(40) } }]);
  const edit = { sku: 'A', attributes: { weight: number(40), color: text('red') } };
  expect(await upsert([edit], true)).toMatchObject([{ outcome: 'updated', faults: [] }]);
  expect(await upsert([{ sku: 'A', attributes: { weight: number(50), color: text('blue') } }], true)).toMatchObject([
    {
      outcome: 'refused',
      message: 'Weight must be at most 10.',
      faults: [{ slug: 'weight', message: 'Weight must be at most 10.' }],
      product: { listedValues: { values: { color: { value: 'red' }, weight: { value: 40 } } } },
    },
  ]);
  expect(await upsert([{ sku: 'A', attributes: { weight: number(50) } }])).toMatchObject([{ outcome: 'updated' }]);
});

test('cells of a spreadsheet become values by type, unit and decimal mark, or say why they do not', async () => {
  const { cells, refusal } = await open();
  const slugs = ['weight', 'size', 'tags', 'waterproof'];
  expect(await cells(slugs, ['6,4', 's', 'new; sale', 'ja', '500 g', 'XL', '', 'maybe'])).toEqual([
    ...[6.4, 'S', ['new', 'sale'], true, 0.5].map((value) => ({ value, problem: null })),
    { value: null, problem: 'The cell is none of the options.' },
    { value: null, problem: null },
    { value: null, problem: 'The cell is neither yes nor no.' },
  ]);
  expect(await cells(['weight'], ['1.000'])).toEqual([{ value: null, problem: 'The cell has two readings.' }]);
  expect(await cells(['weight'], ['1.000'], 'point')).toEqual([{ value: 1, problem: null }]);
  expect(await cells(['weight'], ['1.000'], 'comma')).toEqual([{ value: null, problem: 'The value must be at most 10.' }]);
  expect(await refusal(CELLS, { slugs, cells: ['1'] })).toMatch(/^INVALID_INPUT/);
  expect(await refusal(CELLS, { slugs: ['none'], cells: ['1'] })).toMatch(/^NOT_FOUND/);
});
