import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { foldSlots } from '../../subgraphs/catalog/stats/service.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const SLUGS = ['a', 'b', 'c', 'd'];

/** An organization with four attributes and products that have the first ones: the n-th has n % 5 of them, unless it is among the rare ones. */
async function open(count: number, { rare = 0 } = {}) {
  const { id: organizationId, key } = await graph.seed();
  const { ask, refusal } = graph.caller(key);
  for (const slug of SLUGS)
    await ask('mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }', {
      input: { slug, name: slug.toUpperCase(), type: 'text', subject: 'product' },
    });
  await pool.query(
    `insert into catalog.products (id, organization_id, sku, name, brand, category, is_parent, archived, attributes, created_at)
     select gen_random_uuid(), $1, 'S-' || lpad(n::text, 6, '0'), 'Lamp ' || n, 'Brand ' || n % 3, (array['Chairs', ' lamps', 'Lamps > Floor', null])[n % 4 + 1],
            n % 7 = 0, n % 11 = 0,
            (select coalesce(jsonb_object_agg(slug, '{"attributeType":"text","value":"x"}'::jsonb), '{}')
               from unnest($3::text[]) with ordinality s (slug, nth) where nth <= case when $4 = 0 then n % 5 when n <= $4 then 3 else 4 end),
            now() - n * interval '1 minute'
       from generate_series(1, $2::int) n`,
    [organizationId, count, SLUGS, rare],
  );
  return { organizationId, ask, refusal };
}

interface Listed {
  sku: string;
  category: string | null;
  completeness: { percent: number | null };
}

const LIST = `query ($order: SortOrder!, $limit: Int = 10, $page: Int = 1, $after: String, $filter: ProductFilter, $search: String = "",
    $parents: ParentFilter = "all") {
  products(orderBy: completeness, sortOrder: $order, limit: $limit, page: $page, after: $after, filter: $filter, search: $search, parentFilter: $parents) {
    nodes { sku category completeness { percent } } endCursor pagination { total } } }`;
type Ask = Awaited<ReturnType<typeof open>>['ask'];

/** All products of a list, by its cursors. */
async function walk(ask: Ask, variables: object): Promise<{ nodes: Listed[]; total: number }> {
  const nodes: Listed[] = [];
  let after: string | null = null;
  let total = 0;
  do {
    const { products } = await ask(LIST, { ...variables, after });
    nodes.push(...products.nodes);
    total = products.pagination.total;
    after = products.endCursor;
  } while (after !== null);
  return { nodes, total };
}

const NODES = 'nodes { sku } endCursor pagination { total }';

const FILTERS: [name: string, variables: object, condition: string][] = [
  ['without a filter', {}, 'true'],
  ['of parents', { parents: 'parent' }, 'is_parent'],
  ['of a brand', { filter: { brand: 'brand 1' } }, `brand = 'Brand 1'`],
  ['of a category', { filter: { category: 'LAMPS' } }, `category = ' lamps'`],
  ['below a category', { filter: { categoryBelow: 'lamps' } }, `category ilike '%lamps%'`],
  ['without a value', { filter: { missingAttribute: 'c' } }, `not attributes ? 'c'`],
  ['below a percentage', { filter: { completenessBelow: 60 } }, `not attributes ? 'c'`],
  ['of a search', { search: 'lamp 1' }, `name like 'Lamp 1%'`],
  [
    'of several conditions',
    { search: 'lamp', filter: { completenessBelow: 100, missingAttribute: 'b', brand: 'Brand 2' } },
    `not attributes ? 'b' and brand = 'Brand 2'`,
  ],
];

describe('in the order of completeness', () => {
  const opened = open(300);

  test.each(FILTERS)('products %s are complete, by cursor and by number', async (_name, variables, condition) => {
    const { ask, organizationId } = await opened;
    const { rows } = await pool.query<{ sku: string; percent: number }>(
      `select sku, (select count(*) from jsonb_object_keys(attributes)) * 25 as percent from catalog.products
        where organization_id = $1 and not archived and ${condition}`,
      [organizationId],
    );
    const percents = new Map(rows.map(({ sku, percent }) => [sku, Number(percent)]));
    for (const order of ['asc', 'desc']) {
      const { nodes, total } = await walk(ask, { ...variables, order, limit: 7 });
      expect(new Set(nodes.map(({ sku }) => sku))).toEqual(new Set(percents.keys()));
      expect(nodes).toHaveLength(rows.length);
      expect(total).toBe(rows.length);
      const shown = nodes.map(({ completeness }) => completeness.percent!);
      expect(shown).toEqual(nodes.map(({ sku }) => percents.get(sku)));
      expect(shown).toEqual(shown.toSorted((a, b) => (order === 'asc' ? a - b : b - a)));
      for (const page of [1, 3, 4]) {
        const { products } = await ask(LIST, { ...variables, order, limit: 7, page });
        expect(products.nodes).toEqual(nodes.slice((page - 1) * 7, page * 7));
      }
    }
  });

  test('archived products have the same order', async () => {
    const { ask } = await opened;
    const { nodes, total } = await walk(ask, { order: 'asc', limit: 5, filter: { archived: true } });
    expect(total).toBe(27);
    const shown = nodes.map(({ completeness }) => completeness.percent!);
    expect(shown).toEqual(shown.toSorted((a, b) => a - b));
    expect(new Set(shown)).toEqual(new Set([0, 25, 50, 75, 100]));
    const few = await walk(ask, { order: 'desc', filter: { archived: true, completenessBelow: 50 } });
    expect(few.nodes.map(({ completeness }) => completeness.percent)).toEqual(shown.filter((each) => each < 50).toReversed());
  });
});

test('the order and the totals follow the attributes, which change no product', async () => {
  const { ask } = await open(20);
  const { attributes } = await ask('{ attributes(subject: product) { id slug } }');
  const below = () => walk(ask, { order: 'asc', filter: { completenessBelow: 100, brand: 'Brand 1' } });
  const before = await below();
  for (const { id, slug } of attributes)
    if (slug !== 'a') await ask('mutation ($id: ID!) { updateAttribute(id: $id, input: { isActive: false }) { id } }', { id });
  const after = await below();
  expect(after.nodes.length).toBeLessThan(before.nodes.length);
  expect(after.total).toBe(after.nodes.length);
  expect(after.nodes.every(({ completeness }) => completeness.percent === 0)).toBe(true);
  const first = attributes.find(({ slug }: { slug: string }) => slug === 'a');
  await ask('mutation ($id: ID!) { updateAttribute(id: $id, input: { isActive: false }) { id } }', { id: first.id });
  const { nodes } = await walk(ask, { order: 'desc' });
  expect(nodes.map(({ completeness }) => completeness.percent)).toEqual(nodes.map(() => null));
});

test('a cursor of another order or with other values is refused', async () => {
  const { ask, refusal } = await open(20);
  const refused = 'INVALID_INPUT: after must be the endCursor of a page of the same list';
  const { endCursor } = (await ask(LIST, { order: 'asc' })).products;
  expect(await refusal(LIST, { order: 'desc', after: endCursor })).toBe(refused);
  for (const values of ['[1]', '["x",1,2,3]', '[null,"x","y","z"]', '[0.5,null,null,null]']) {
    const after = Buffer.from(`products completeness asc ${values}`).toString('base64url');
    expect(await refusal(LIST, { order: 'asc', after })).toBe(refused);
  }
});

describe('in a large catalog', () => {
  const opened = (async () => {
    const large = await open(10_000, { rare: 300 });
    await pool.query('vacuum analyze catalog.products');
    return large;
  })();

  test.each([
    ['the first page', 'orderBy: completeness, sortOrder: asc'],
    ['the first page in descending order', 'orderBy: completeness, sortOrder: desc'],
    ['the first page of a category', 'orderBy: completeness, sortOrder: asc, filter: { category: "Chairs" }'],
    ['few incomplete products in the order of creation', 'filter: { completenessBelow: 100 }, sortOrder: asc'],
    ['no product of a percentage', 'filter: { completenessBelow: 10 }'],
  ])('%s reads a part of it', async (_name, args) => {
    const { ask } = await opened;
    const text = `{ products(${args}) { ${NODES} } }`;
    await ask(text);
    const { rows } = await readBy(pool, () => ask(text));
    expect(rows).toBeLessThan(1_500);
  });

  test('a page by cursor reads a part of it', async () => {
    const { ask } = await opened;
    const page = (after?: string) =>
      `{ products(orderBy: completeness, sortOrder: desc, limit: 100${after ? `, after: "${after}"` : ''}) { nodes { sku } endCursor } }`;
    let after: string | undefined;
    for (let nth = 0; nth < 5; nth += 1) after = (await ask(page(after))).products.endCursor;
    const { rows } = await readBy(pool, async () => expect((await ask(page(after))).products.nodes).toHaveLength(100));
    expect(rows).toBeLessThan(1_000);
  });
});

describe('in a catalog of 3,000 products that all differ in category or filled attributes', () => {
  const opened = (async () => {
    const { ask, organizationId } = await open(0);
    await pool.query(
      `insert into catalog.products (id, organization_id, sku, name, category, attributes, created_at)
       select gen_random_uuid(), $1, 'S-' || n, 'Lamp ' || n, 'Category ' || n % 300,
              (select coalesce(jsonb_object_agg(slug, '{"attributeType":"text","value":"x"}'::jsonb), '{}')
                 from unnest($2::text[]) with ordinality s (slug, nth) where (n / 300) >> (nth - 1)::int & 1 = 1),
              now() - n * interval '1 minute'
         from generate_series(0, 2999) n`,
      [organizationId, SLUGS],
    );
    await pool.query('vacuum analyze catalog.products, catalog.filled_groups');
    return ask;
  })();

  test.each([
    ['its completeness', '{ catalogStats { completeness { products complete percent } } }'],
    ['an order by completeness', `{ products(orderBy: completeness, sortOrder: asc, page: 150) { ${NODES} } }`],
    ['a filter by completeness', `{ products(filter: { completenessBelow: 100 }) { ${NODES} } }`],
  ])('%s compares each combination of attributes once', async (_name, text) => {
    const ask = await opened;
    await ask(text);
    expect((await readBy(pool, () => ask(text))).calls).toBeLessThan(50);
  });

  test('a page of incomplete products reads no other products than those of the page', async () => {
    const ask = await opened;
    const text = `{ products(filter: { completenessBelow: 100 }) { nodes { sku } } }`;
    expect((await ask(text)).products.nodes.map(({ sku }: { sku: string }) => sku)).toEqual(
      Array.from({ length: 10 }, (_, n) => `S-${n}`),
    );
    // The groups are read twice.
    expect((await readBy(pool, () => ask(text))).rows).toBeLessThan(6_500);
  });

  test.each([
    ['its completeness', '{ catalogStats { completeness { products complete percent } } }'],
    ['the first page by completeness', `{ products(orderBy: completeness, sortOrder: asc) { ${NODES} } }`],
    ['the last page by completeness', `{ products(orderBy: completeness, sortOrder: desc) { ${NODES} } }`],
    ['the first page of incomplete products', `{ products(filter: { completenessBelow: 60 }) { ${NODES} } }`],
    [
      'the same by completeness',
      `{ products(filter: { completenessBelow: 60 }, orderBy: completeness, sortOrder: desc) { ${NODES} } }`,
    ],
  ])('after a sweep, %s reads few of the groups', async (_name, text) => {
    const ask = await opened;
    const before = await ask(text);
    await foldSlots(pool);
    await pool.query('vacuum analyze catalog.filled_groups, catalog.completeness_levels');
    expect(await ask(text)).toEqual(before);
    expect((await readBy(pool, () => ask(text))).rows).toBeLessThan(400);
  });
});
