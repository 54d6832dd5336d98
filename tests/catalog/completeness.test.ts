import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { recordCompleteness } from '../../subgraphs/catalog/completeness/completeness.ts';
import { foldSlots } from '../../subgraphs/catalog/stats/service.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const C = 'products complete percent requiredPercent';
const STATS = `{ catalogStats { completeness { ${C} } completenessDays { day products percent requiredPercent } } }`;
const CATEGORY = `query ($name: String) { category(name: $name) { completeness { ${C} } attributeSet { name } } }`;
const PRODUCTS = `query ($filter: ProductFilter) { products(filter: $filter, orderBy: sku, sortOrder: asc) { nodes { sku
  completeness { percent requiredPercent missing { slug } missingRequired { slug } } } } }`;
const SET_OF =
  'mutation ($category: String!, $id: ID) { setCategoryAttributeSet(category: $category, attributeSetId: $id) { name attributeSet { name } } }';

/** An organization with the attributes a, b, c and d. */
async function open() {
  const { id: organizationId, key } = await graph.seed();
  const { ask, refusal } = graph.caller(key);
  const ids: Record<string, string> = {};
  for (const slug of ['a', 'b', 'c', 'd']) {
    const input = { slug, name: slug.toUpperCase(), type: 'text', subject: 'product' };
    ids[slug] = (
      await ask('mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }', { input })
    ).createAttribute.id;
  }
  return {
    organizationId,
    ids,
    ask,
    refusal,
    async create(sku: string, slugs: string, category?: string): Promise<string> {
      const { createProduct } = await ask('mutation ($input: NewProduct!) { createProduct(input: $input) { id } }', {
        input: { sku, name: sku, category },
      });
      await fill(createProduct.id, slugs);
      return createProduct.id;
    },
    fill,
    async makeSet(name: string, slugs: string, required = ''): Promise<string> {
      const CREATE = `mutation ($name: String!, $ids: [ID!]!, $required: [ID!]!) {
        createAttributeSet(name: $name, attributeIds: $ids, requiredAttributeIds: $required) { id } }`;
      const of = (text: string) => [...text].map((slug) => ids[slug]);
      return (await ask(CREATE, { name, ids: of(slugs), required: of(required) })).createAttributeSet.id;
    },
    total: async () => (await ask(STATS)).catalogStats.completeness,
    of: async (name: string) => (await ask(CATEGORY, { name })).category,
    list: async (filter: object = {}) => (await ask(PRODUCTS, { filter })).products.nodes,
  };
  async function fill(id: string, slugs: string) {
    const values = Object.fromEntries(
      [...slugs].map((slug) => [slug.toLowerCase(), { attributeType: 'text', value: slug === slug.toLowerCase() ? 'x' : '' }]),
    );
    await ask('mutation ($id: ID!, $values: AttributeValues!) { updateProductAttributes(id: $id, attributes: $values) { id } }', {
      id,
      values,
    });
  }
}

test('an empty catalog expects nothing', async () => {
  const { total } = await open();
  expect(await total()).toEqual({ products: 0, complete: 0, percent: null, requiredPercent: null });
});

test('all active attributes are expected without a set, and each change of values counts', async () => {
  const { create, fill, total, list, ask, ids } = await open();
  const one = await create('1', 'abcd');
  await create('2', 'a');
  expect(await total()).toEqual({ products: 2, complete: 1, percent: 62.5, requiredPercent: null });
  await fill(one, 'D');
  expect(await total()).toEqual({ products: 2, complete: 0, percent: 50, requiredPercent: null });
  expect(await list()).toEqual([
    { sku: '1', completeness: { percent: 75, requiredPercent: null, missing: [{ slug: 'd' }], missingRequired: [] } },
    {
      sku: '2',
      completeness: {
        percent: 25,
        requiredPercent: null,
        missing: [{ slug: 'b' }, { slug: 'c' }, { slug: 'd' }],
        missingRequired: [],
      },
    },
  ]);
  await ask('mutation ($id: ID!) { updateAttribute(id: $id, input: { isActive: false }) { id } }', { id: ids.d });
  expect(await total()).toEqual({ products: 2, complete: 1, percent: 66.67, requiredPercent: null });
  await ask('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: one });
  expect(await total()).toEqual({ products: 1, complete: 0, percent: 33.33, requiredPercent: null });
});

test('a category whose products are all archived keeps its set, and can lose it', async () => {
  const { create, makeSet, of, ask, refusal } = await open();
  const product = await create('1', 'a', 'Chairs');
  const set = await makeSet('Furniture', 'ab');
  await ask(SET_OF, { category: 'Chairs', id: set });
  await ask('mutation ($ids: [ID!]!) { archiveProducts(ids: $ids) { changed } }', { ids: [product] });
  expect((await of('Chairs')).attributeSet).toEqual({ name: 'Furniture' });
  const removed = await ask(SET_OF, { category: 'Chairs', id: null });
  expect(removed.setCategoryAttributeSet).toEqual({ name: 'Chairs', attributeSet: null });
  expect(await refusal(CATEGORY, { name: 'Chairs' })).toBe('NOT_FOUND: Category not found');
});

test('a category expects the attributes of its set, in any case of its name', async () => {
  const { create, makeSet, total, of, list, ask } = await open();
  await create('1', 'a', 'Chairs');
  await create('2', 'abc', ' chairs ');
  await create('3', 'd', 'Lamps');
  const set = await makeSet('Furniture', 'ab', 'a');
  expect((await of('CHAIRS')).attributeSet).toBeNull();
  expect((await ask(SET_OF, { category: 'CHAIRS', id: set })).setCategoryAttributeSet).toEqual({
    name: 'Chairs',
    attributeSet: { name: 'Furniture' },
  });
  expect(await of('chairs')).toEqual({
    attributeSet: { name: 'Furniture' },
    completeness: { products: 2, complete: 1, percent: 75, requiredPercent: 100 },
  });
  expect((await of('Lamps')).completeness).toEqual({ products: 1, complete: 0, percent: 25, requiredPercent: null });
  expect(await total()).toEqual({ products: 3, complete: 1, percent: 50, requiredPercent: 100 });
  expect((await list({ completenessBelow: 100 })).map(({ sku }: { sku: string }) => sku)).toEqual(['1', '3']);
  expect((await list({ completenessBelow: 50 })).map(({ sku }: { sku: string }) => sku)).toEqual(['3']);
  const CHANGE =
    'mutation ($id: ID!, $required: [ID!]) { updateAttributeSet(id: $id, requiredAttributeIds: $required) { attributeSetAttributes { attribute { slug } required } } }';
  const { ids } = await open();
  expect((await ask(CHANGE, { id: set, required: [] })).updateAttributeSet.attributeSetAttributes).toEqual([
    { attribute: { slug: 'a' }, required: false },
    { attribute: { slug: 'b' }, required: false },
  ]);
  expect((await of('chairs')).completeness.requiredPercent).toBeNull();
  expect(ids).toBeDefined();
  await ask(SET_OF, { category: 'chairs', id: null });
  expect((await of('chairs')).attributeSet).toBeNull();
});

test('sets, categories and attributes of another organization cannot be used', async () => {
  const one = await open();
  const two = await open();
  await one.create('1', 'a', 'Chairs');
  await two.create('1', 'a', 'Chairs');
  const foreign = await two.makeSet('Furniture', 'a');
  expect(await one.refusal(SET_OF, { category: 'Chairs', id: foreign })).toBe('NOT_FOUND: Attribute set not found');
  expect(await one.refusal(SET_OF, { category: 'Unknown', id: null })).toBe('NOT_FOUND: Category not found');
  const CREATE =
    'mutation ($ids: [ID!]!, $required: [ID!]!) { createAttributeSet(name: "x", attributeIds: $ids, requiredAttributeIds: $required) { id } }';
  expect(await one.refusal(CREATE, { ids: [one.ids.a], required: [one.ids.b] })).toBe(
    'INVALID_INPUT: requiredAttributeIds must be attributes of the set',
  );
});

test('the stored groups equal those of the products after concurrent edits, moves and deletions', async () => {
  const { organizationId, create, fill, total, ask } = await open();
  const products = await Promise.all(Array.from({ length: 24 }, (_, n) => create(`S-${n}`, 'abcd'.slice(0, n % 5), `C-${n % 3}`)));
  await Promise.all(
    products.map(async (id, n) => {
      if (n % 4 === 0) return ask('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id });
      if (n % 4 === 1) return fill(id, 'aBc');
      return ask('mutation ($id: ID!, $c: String) { updateProduct(id: $id, input: { category: $c }) { id } }', {
        id,
        c: n % 8 === 2 ? null : 'c-1 ',
      });
    }),
  );
  await foldSlots(pool);
  const { rows } = await pool.query(
    `with stored as (select category, shape, sum(count)::int as count from catalog.filled_groups where organization_id = $1 group by 1, 2),
          counted as (select catalog.category_of(category) as category, catalog.value_shape(attributes) as shape, count(*)::int from catalog.products where organization_id = $1 group by 1, 2)
     select * from stored full join counted using (category, shape) where stored.count is distinct from counted.count`,
    [organizationId],
  );
  expect(rows).toEqual([]);
  expect((await total()).products).toBe(18);
});

test('every number, order and filter is right between, before and after sweeps, whatever changes', async () => {
  const { ask, create, fill, makeSet, organizationId, ids } = await open();
  let state = 7;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const subset = () => [...'abcd'].filter(() => random() < 0.5).join('');
  const categories = [undefined, 'Lamps', 'Chairs', 'Tables'];
  const sets = [
    { id: null, slugs: '', required: '' },
    { id: await makeSet('One', 'ab', 'a'), slugs: 'ab', required: 'a' },
    { id: await makeSet('Other', 'bcd', 'cd'), slugs: 'bcd', required: 'cd' },
  ];
  const active = new Set('abcd');
  const setOf = new Map<string | undefined, (typeof sets)[number]>();
  const products = new Map<string, { sku: string; category: string | undefined; slugs: string }>();
  const add = async () => {
    const [sku, slugs, category] = [`S-${products.size}-${random()}`, subset(), pick(categories)];
    products.set(await create(sku, slugs, category), { sku, slugs, category });
  };
  const steps: Record<string, () => Promise<unknown>> = {
    add,
    fill: async () => {
      const [id, product] = pick([...products]);
      product.slugs = subset();
      await fill(id, [...'abcd'].map((slug) => (product.slugs.includes(slug) ? slug : slug.toUpperCase())).join(''));
    },
    move: async () => {
      const [id, product] = pick([...products]);
      product.category = pick(categories);
      await ask('mutation ($id: ID!, $c: String) { updateProduct(id: $id, input: { category: $c }) { id } }', {
        id,
        c: product.category ?? null,
      });
    },
    remove: async () => {
      const [id] = pick([...products]);
      products.delete(id);
      await ask('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id });
    },
    expect: async () => {
      const category = pick([...products.values()].map((each) => each.category).filter((each) => each !== undefined));
      const set = pick(sets);
      setOf.set(category, set);
      await ask(SET_OF, { category, id: set.id });
    },
    toggle: async () => {
      const slug = pick([...'abcd']);
      const isActive = !active.delete(slug);
      if (isActive) active.add(slug);
      await ask('mutation ($id: ID!, $isActive: Boolean!) { updateAttribute(id: $id, input: { isActive: $isActive }) { id } }', {
        id: ids[slug],
        isActive,
      });
    },
    fold: () => foldSlots(pool),
    record: () => recordCompleteness(pool),
    'fold beside a writer': async () => {
      const writer = await pool.connect();
      try {
        await writer.query('begin');
        await writer.query('select from catalog.filled_groups where organization_id = $1 and slot > 0 limit 2 for update', [
          organizationId,
        ]);
        await foldSlots(pool);
        await writer.query('commit');
      } finally {
        writer.release();
      }
    },
  };
  const levelOf = ({ slugs, category }: { slugs: string; category: string | undefined }) => {
    const set = setOf.get(category);
    const ofSet = [...(set?.slugs ?? '')].filter((slug) => active.has(slug));
    const wanted = ofSet.length > 0 ? ofSet : [...active];
    const required = ofSet.length > 0 ? [...set!.required].filter((slug) => active.has(slug)) : [];
    const filled = (list: string[]) => list.filter((slug) => slugs.includes(slug)).length;
    return { filled: filled(wanted), expected: wanted.length, filledRequired: filled(required), expectedRequired: required.length };
  };
  const sumOf = (list: { slugs: string; category: string | undefined }[]) => {
    const levels = list.map(levelOf);
    const sum = (key: keyof ReturnType<typeof levelOf>) => levels.reduce((total, level) => total + level[key], 0);
    const percent = (filled: number, of: number) => (of > 0 ? Math.round((filled / of) * 10_000) / 100 : null);
    return {
      products: list.length,
      complete: levels.filter(({ filled, expected }) => filled === expected).length,
      percent: percent(sum('filled'), sum('expected')),
      requiredPercent: percent(sum('filledRequired'), sum('expectedRequired')),
    };
  };
  const CHECK = `query ($below: Float!) {
    catalogStats { completeness { ${C} } }
    lamps: category(name: "Lamps") { completeness { ${C} } } chairs: category(name: "Chairs") { completeness { ${C} } }
    asc: products(orderBy: completeness, sortOrder: asc) { nodes { sku } pagination { total } }
    second: products(orderBy: completeness, sortOrder: desc, page: 2, limit: 5) { nodes { sku } }
    desc: products(orderBy: completeness, sortOrder: desc, limit: 100) { nodes { sku } }
    below: products(filter: { completenessBelow: $below }, limit: 100) { nodes { sku } pagination { total } }
    sorted: products(filter: { completenessBelow: $below }, orderBy: completeness, sortOrder: asc, limit: 100) { nodes { sku } pagination { total } } }`;
  for (let n = 0; n < 12; n++) await add();
  for (let n = 0; n < 80; n++) {
    const name = pick(Object.keys(steps));
    if (products.size > 3 || name === 'add') await steps[name]!();
    const all = [...products.values()];
    const bySku = new Map(all.map((each) => [each.sku, each]));
    const below = pick([1, 33.33, 40, 50, 66.67, 100]);
    const answer = await ask(CHECK, { below });
    const at = [n, name];
    expect([at, answer.catalogStats.completeness]).toEqual([at, sumOf(all)]);
    for (const [key, category] of [
      ['lamps', 'Lamps'],
      ['chairs', 'Chairs'],
    ] as const)
      if (answer[key])
        expect([at, answer[key].completeness]).toEqual([at, sumOf(all.filter((each) => each.category === category))]);
    const shares = (nodes: { sku: string }[]) =>
      nodes.map(({ sku }) => {
        const { filled, expected } = levelOf(bySku.get(sku)!);
        return expected > 0 ? filled / expected : 2;
      });
    const skus = (nodes: { sku: string }[]) => nodes.map(({ sku }) => sku).toSorted();
    expect([at, skus(answer.desc.nodes)]).toEqual([at, all.map(({ sku }) => sku).toSorted()]);
    expect([at, shares(answer.desc.nodes)]).toEqual([at, shares(answer.desc.nodes).toSorted((a, b) => b - a)]);
    expect([at, answer.second.nodes]).toEqual([at, answer.desc.nodes.slice(5, 10)]);
    expect([at, answer.asc.nodes]).toEqual([at, answer.desc.nodes.toReversed().slice(0, 10)]);
    expect([at, answer.asc.pagination.total]).toEqual([at, all.length]);
    const incomplete = all
      .filter((each) => (sumOf([each]).percent ?? 100) < below)
      .map(({ sku }) => sku)
      .toSorted();
    for (const list of [answer.below, answer.sorted])
      expect([at, skus(list.nodes), list.pagination.total]).toEqual([at, incomplete, incomplete.length]);
  }
});

test('a filter compares the percentage that is shown', async () => {
  const { create, ask, makeSet } = await open();
  const set = await makeSet('Three', 'abc');
  await create('1', 'a', 'Chairs');
  await create('2', 'ab', 'Chairs');
  await ask(SET_OF, { category: 'Chairs', id: set });
  const LIST = `query ($below: Float!, $archived: Boolean) {
    found: products(filter: { completenessBelow: $below, archived: $archived }, orderBy: sku, sortOrder: asc) {
      nodes { sku completeness { percent } } pagination { total } }
    sorted: products(filter: { completenessBelow: $below, archived: $archived }, orderBy: completeness, sortOrder: asc) {
      nodes { sku } pagination { total } } }`;
  const below = async (percent: number, archived?: boolean) => {
    const { found, sorted } = await ask(LIST, { below: percent, archived });
    expect(sorted).toEqual({
      nodes: found.nodes.map(({ sku }: { sku: string }) => ({ sku })),
      pagination: { total: found.nodes.length },
    });
    expect(found.pagination.total).toBe(found.nodes.length);
    return found.nodes.map((node: { completeness: { percent: number } }) => node.completeness.percent);
  };
  const [few, both] = [[33.33], [33.33, 66.67]];
  const check = async (archived?: boolean) => {
    for (const [percent, shown] of [
      [33.33, []],
      [33.34, few],
      [66.66, few],
      [66.67, few],
      [66.675, both],
      [66.68, both],
    ] as const)
      expect([percent, await below(percent, archived)]).toEqual([percent, shown]);
  };
  await check();
  await foldSlots(pool);
  await check();
  const ids = (await ask('{ products { nodes { id } } }')).products.nodes.map(({ id }: { id: string }) => id);
  await ask('mutation ($ids: [ID!]!) { archiveProducts(ids: $ids) { changed } }', { ids });
  await check(true);
});

test('the course has one entry a day, with the latest numbers', async () => {
  const { organizationId, create, ask } = await open();
  await create('1', 'ab');
  await recordCompleteness(pool);
  await create('2', 'abcd');
  await recordCompleteness(pool);
  await pool.query(
    `insert into catalog.completeness_days select organization_id, day - 1, 1, 1, 4, 0, 0 from catalog.completeness_days where organization_id = $1`,
    [organizationId],
  );
  const { completenessDays: days } = (await ask(STATS)).catalogStats;
  const today = (await pool.query(`select (now() at time zone 'UTC')::date::text as day`)).rows[0].day;
  expect(days).toMatchObject([
    { products: 1, percent: 25, requiredPercent: null },
    { day: today, products: 2, percent: 75, requiredPercent: null },
  ]);
});

test('a catalog that cannot be counted does not keep others from being recorded', async () => {
  const opened = [await open(), await open(), await open()];
  for (const { create } of opened) await create('1', 'a');
  await pool.query(
    `insert into catalog.filled_groups select organization_id, category, 1, 0, '{a}', 9e18 from catalog.filled_groups where organization_id = $1 limit 1`,
    [opened[1]!.organizationId],
  );
  await recordCompleteness(pool);
  const { rows } = await pool.query('select organization_id as id from catalog.completeness_days where organization_id = any($1)', [
    opened.map(({ organizationId }) => organizationId),
  ]);
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([opened[0]!.organizationId, opened[2]!.organizationId]));
});

test('a member cannot change the set of a category', async () => {
  const { addMember } = await graph.seed();
  const { key } = await addMember('member');
  expect(await graph.caller(key).refusal(SET_OF, { category: 'Chairs', id: null })).toMatch(/^FORBIDDEN/);
});

test('admins give a category a set, which the audit log records; a set of brands is refused', async () => {
  const { create, makeSet, ask, refusal, organizationId } = await open();
  await create('1', 'a', 'Chairs');
  const set = await makeSet('Furniture', 'a');
  const brands = (await ask('mutation { createAttributeSet(name: "Brands", subject: brand, attributeIds: []) { id } }'))
    .createAttributeSet.id;
  expect(await refusal(SET_OF, { category: 'Chairs', id: brands })).toBe(
    'INVALID_INPUT: attributeSetId must be a set of product attributes',
  );
  await ask(SET_OF, { category: 'Chairs', id: set });
  await ask(SET_OF, { category: 'chairs', id: set });
  await ask(SET_OF, { category: 'chairs', id: null });
  const LOG = 'query ($id: ID) { auditLog(subjectId: $id) { nodes { action fields } } }';
  expect((await ask(LOG, { id: set })).auditLog.nodes).toEqual([
    { action: 'updated', fields: ['categories'] },
    { action: 'updated', fields: ['categories'] },
    { action: 'created', fields: [] },
  ]);
  await ask(SET_OF, { category: 'chairs', id: set });
  await ask('mutation ($id: ID!) { deleteAttributeSet(id: $id) { id } }', { id: set });
  await pool.query('delete from identity.organizations where id = $1', [organizationId]);
});
