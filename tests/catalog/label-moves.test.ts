import { detached } from '../../platform/scope/index.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { continueMove } from '../../subgraphs/catalog/labels/moves.ts';
import { forgetLabels } from '../../subgraphs/catalog/labels/summaries.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const subjects = [
  { subject: 'brand', Subject: 'Brand', list: 'brands', table: 'catalog.brands' },
  { subject: 'category', Subject: 'Category', list: 'categories', table: 'catalog.categories' },
] as const;
type Names = (typeof subjects)[number];
const [BRANDS, CATEGORIES] = subjects;

/** An organization, and operations on its brands or categories. */
async function open({ subject, Subject, list, table }: Names) {
  const { id: organizationId, key } = await graph.seed();
  const { ask, refusal } = graph.caller(key);
  const scope = detached({ organizationId, services: graph.services });
  const LIST = `{ ${list}(limit: 100) { nodes { id name productCount } } }`;
  const idOf = async (name: string): Promise<string> =>
    (await ask(`query ($name: String) { found: ${subject}(name: $name) { id } }`, { name })).found.id;
  const RENAME = `mutation ($id: ID!, $name: String!, $slug: String) { changed: rename${Subject}(id: $id, name: $name, slug: $slug) { id name productCount move { toName total moved } } }`;
  const MERGE = `mutation ($id: ID!, $intoId: ID!) { changed: merge${Subject}(id: $id, intoId: $intoId) { name productCount ${subject} { id slug } } }`;
  const messages = async (): Promise<{ id: string; payload: { moveId: string; page: number } }[]> =>
    (
      await pool.query(
        `select id, payload from identity.outbox where topic = 'label.move' and payload ->> 'organizationId' = $1 order by id`,
        [organizationId],
      )
    ).rows;
  return {
    organizationId,
    ask,
    refusal,
    scope,
    idOf,
    messages,
    create: async (name: string, slug?: string): Promise<{ id: string; slug: string }> =>
      (
        await ask(
          `mutation ($name: String!, $slug: String) { made: create${Subject}(name: $name, slug: $slug) { ${subject} { id slug } } }`,
          {
            name,
            slug,
          },
        )
      ).made[subject],
    /** One product for each name. */
    addProducts: (...names: string[]) =>
      pool.query(
        `insert into catalog.products (id, organization_id, sku, name, ${subject})
         select gen_random_uuid(), $1, gen_random_uuid(), 'P', n from unnest($2::text[]) n`,
        [organizationId, names],
      ),
    fill: (count: number, name: string) =>
      pool.query(
        `insert into catalog.products (id, organization_id, sku, name, ${subject}) select gen_random_uuid(), $1, gen_random_uuid(), 'P', $3 from generate_series(1, $2::int)`,
        [organizationId, count, name],
      ),
    /** Names of labels with their numbers of products. */
    counts: async () =>
      Object.fromEntries(
        (await ask(LIST))[list].nodes.map((each: { name: string; productCount: number }) => [each.name, each.productCount]),
      ),
    /** The texts of products with their numbers. */
    texts: async () =>
      Object.fromEntries(
        (
          await pool.query(
            `select ${subject} as name, count(*)::int from catalog.products where organization_id = $1 and ${subject} is not null group by 1 order by 1`,
            [organizationId],
          )
        ).rows.map(({ name, count }) => [name, count]),
      ),
    records: async () =>
      (await pool.query(`select id, name, slug from ${table} where organization_id = $1 order by name`, [organizationId])).rows,
    rename: async (from: string, name: string, slug?: string) => (await ask(RENAME, { id: await idOf(from), name, slug })).changed,
    renameRefused: async (from: string, name: string) => refusal(RENAME, { id: await idOf(from), name }),
    renameById: (id: string, name: string) => refusal(RENAME, { id, name }),
    merge: async (from: string, into: string) => (await ask(MERGE, { id: await idOf(from), intoId: await idOf(into) })).changed,
    mergeRefused: async (from: string, into: string) => refusal(MERGE, { id: await idOf(from), intoId: await idOf(into) }),
    remove: async (name: string) =>
      refusal(`mutation ($id: ID!) { delete${Subject}(id: $id) { deleted } }`, { id: await idOf(name) }),
    /** Delivers the messages of the worker until none is left. Returns their number. */
    async work(): Promise<number> {
      for (let count = 0; ; count += 1) {
        const [message] = await messages();
        if (!message) return count;
        await continueMove(scope, message.payload);
        await pool.query('delete from identity.outbox where id = $1', [message.id]);
      }
    },
    /** An item of an ended enrichment of a name. */
    async enriched(name: string, completedAt: string, story: string) {
      const job = await pool.query(
        `insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id)
         values (gen_random_uuid(), $1, '${subject}-enrichment', 'completed', 'budget-v1', 1, gen_random_uuid()) returning id`,
        [organizationId],
      );
      const values = { story: { attributeId: null, attributeName: 'Story', attributeType: 'text', value: story } };
      await pool.query(
        `insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, subject, label, status, enriched_data, completed_at)
         values (gen_random_uuid(), $1, $2, 0, 0, $3, $4, 'completed', $5, $6)`,
        [organizationId, job.rows[0].id, subject, name, values, completedAt],
      );
    },
    detail: async (name: string) =>
      (
        await ask(
          `query ($name: String) { found: ${subject}(name: $name) { values { slug value } enrichments { nodes { label } pagination { total } } } }`,
          { name },
        )
      ).found,
  };
}

describe.each(subjects)('$list', (names) => {
  test('a rename changes the record and the products, and keeps the slug', async () => {
    const { create, addProducts, rename, counts, texts, records, idOf, refusal } = await open(names);
    const { id, slug } = await create('Acme');
    await addProducts('Acme', ' ACME', 'Other');
    expect(await rename('acme', 'Norrvik')).toMatchObject({ name: 'Norrvik', productCount: 2, move: null });
    expect(await counts()).toEqual({ Norrvik: 2, Other: 1 });
    expect(await texts()).toEqual({ Norrvik: 2, Other: 1 });
    expect(await records()).toEqual([{ id, name: 'Norrvik', slug }]);
    expect(await refusal(`{ ${names.subject}(name: "Acme") { id } }`)).toMatch('NOT_FOUND');
    await rename('Norrvik', 'Norrvik AB', 'norrvik');
    expect(await records()).toEqual([{ id, name: 'Norrvik AB', slug: 'norrvik' }]);
    expect(await idOf(' norrvik ab')).toBeTruthy();
  });

  test('a rename to another spelling unifies the products', async () => {
    const { addProducts, rename, counts, texts, create, records } = await open(names);
    await addProducts('bosch', 'BOSCH', 'Bosch ');
    await rename('bosch', 'Bosch');
    expect([await counts(), await texts()]).toEqual([{ Bosch: 3 }, { Bosch: 3 }]);
    await create('lego');
    await rename('lego', 'LEGO');
    expect(await records()).toMatchObject([{ name: 'LEGO', slug: 'lego' }]);
    expect(await counts()).toEqual({ Bosch: 3, LEGO: 0 });
  });

  test('a rename to a name that exists is refused, also when only products have it', async () => {
    const { addProducts, create, renameRefused, renameById, counts } = await open(names);
    await addProducts('A', 'B');
    await create('C');
    for (const name of ['b', ' C ']) expect(await renameRefused('A', name)).toMatch(/^CONFLICT: .* exists\. Merge/);
    expect(await renameById('00000000-0000-4000-8000-000000000000', 'X')).toMatch('NOT_FOUND');
    expect(await renameById('x', 'X')).toMatch('NOT_FOUND');
    expect(await counts()).toEqual({ A: 1, B: 1, C: 0 });
  });

  test('a rename follows the values and the history', async () => {
    const { create, ask, rename, enriched, detail, idOf } = await open(names);
    await create('Old');
    await enriched('old', '2026-01-01', 'enriched');
    const VALUES = `mutation ($id: ID!, $attributes: AttributeValues!) { update${names.Subject}Values(id: $id, attributes: $attributes) { name } }`;
    await ask(VALUES, { id: await idOf('Old'), attributes: { motto: { attributeType: 'text', value: 'entered' } }, remove: [] });
    await rename('Old', 'New');
    expect(await detail('New')).toEqual({
      values: [
        { slug: 'motto', value: 'entered' },
        { slug: 'story', value: 'enriched' },
      ],
      enrichments: { nodes: [{ label: 'New' }], pagination: { total: 1 } },
    });
  });

  test('many products change page by page, and a message that is delivered twice changes nothing', async () => {
    const { create, fill, rename, renameRefused, counts, texts, work, messages, scope, ask } = await open(names);
    await create('Old');
    await fill(2_500, 'Old');
    expect(await rename('Old', 'New')).toMatchObject({
      name: 'New',
      productCount: 1_000,
      move: { toName: 'New', total: 2_500, moved: 1_000 },
    });
    expect(await counts()).toEqual({ New: 1_000, Old: 1_500 });
    expect(await renameRefused('New', 'Newest')).toMatch(/^CONFLICT: Products are still being moved to New/);
    const [message] = await messages();
    for (const _ of [1, 2]) await continueMove(scope, message!.payload);
    expect(await texts()).toEqual({ New: 2_000, Old: 500 });
    expect((await ask(`{ ${names.subject}(name: "Old") { move { fromName total moved } } }`))[names.subject].move).toEqual({
      fromName: 'Old',
      total: 2_500,
      moved: 2_000,
    });
    await work();
    expect(await counts()).toEqual({ New: 2_500 });
    expect(await rename('New', 'Newest')).toMatchObject({ productCount: 1_000 });
  });

  test('values that are entered during a rename follow it', async () => {
    const { create, fill, ask, refusal, rename, detail, idOf } = await open(names);
    const VALUES = `mutation ($id: ID!, $attributes: AttributeValues!) { update${names.Subject}Values(id: $id, attributes: $attributes, remove: []) { name } }`;
    const attributes = { motto: { attributeType: 'text', value: 'entered' } };
    for (const n of [1, 2, 3, 4]) {
      const { id } = await create(`Old ${n}`);
      const [, entered] = await Promise.all([
        rename(`Old ${n}`, `New ${n}`),
        ask(VALUES, { id, attributes }),
        ask(VALUES, { id, attributes: { city: attributes.motto } }),
      ]);
      expect(entered).toBeTruthy();
      expect((await detail(`New ${n}`)).values.map(({ slug }: { slug: string }) => slug)).toEqual(['city', 'motto']);
    }
    await fill(1_001, 'Former');
    await rename('Former', 'Latter');
    expect(await refusal(VALUES, { id: await idOf('Former'), attributes })).toMatch(
      /^CONFLICT: Products are still being moved to Latter/,
    );
  });

  test('many products get another spelling page by page', async () => {
    const { fill, addProducts, rename, texts, work } = await open(names);
    await fill(2_200, 'old');
    await addProducts('OLD');
    await rename('old', 'Old');
    await work();
    expect(await texts()).toEqual({ Old: 2_201 });
  });

  test('a product that is created with the old name during a rename follows', async () => {
    const { organizationId, addProducts, rename, counts, texts, work } = await open(names);
    await addProducts('Old');
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query(
        `insert into catalog.products (id, organization_id, sku, name, ${names.subject}) values (gen_random_uuid(), $1, 'LATE', 'Late', 'Old')`,
        [organizationId],
      );
      const renamed = rename('Old', 'New');
      await client.query('select pg_sleep(0.2)');
      await client.query('commit');
      await renamed;
    } finally {
      client.release();
    }
    await work();
    expect([await counts(), await texts()]).toEqual([{ New: 2 }, { New: 2 }]);
  });

  test('a rename and a creation of the same name at once leave one record', async () => {
    const { create, rename, records } = await open(names);
    await create('A');
    const settled = await Promise.allSettled([rename('A', 'B'), create('B'), create('B')]);
    const found = (await records()).map(({ name }) => name);
    expect(found.filter((name) => name === 'B')).toHaveLength(1);
    const [renamed] = settled;
    if (renamed.status === 'rejected') expect(String(renamed.reason)).toMatch('CONFLICT');
    expect(settled.slice(1).every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  test('of two renames at once, each finds the other done', async () => {
    const { addProducts, rename, counts } = await open(names);
    await addProducts('A', 'B');
    const settled = await Promise.allSettled([rename('A', 'C'), rename('B', 'C')]);
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await counts()).C).toBe(1);
  });

  test('a merge moves products, history and the values that the other one lacks, and frees the slug', async () => {
    const { create, addProducts, enriched, ask, idOf, merge, counts, records, detail } = await open(names);
    await create('Bosch GmbH', 'bosch');
    const { id } = await create('Bosch', 'bosch-tools');
    await addProducts('Bosch GmbH', 'Bosch');
    await enriched('Bosch', '2026-01-01', 'of the target');
    await enriched('Bosch GmbH', '2026-02-02', 'newer, of the source');
    const VALUES = `mutation ($id: ID!, $attributes: AttributeValues!) { update${names.Subject}Values(id: $id, attributes: $attributes) { name } }`;
    const text = (value: string) => ({ attributeType: 'text', value });
    await ask(VALUES, { id: await idOf('Bosch GmbH'), attributes: { motto: text('source'), city: text('Leonberg') }, remove: [] });
    await ask(VALUES, { id: await idOf('Bosch'), attributes: { motto: text('target') }, remove: [] });
    const PREVIEW = `query ($id: ID!, $intoId: ID!) { preview: ${names.subject}MergePreview(id: $id, intoId: $intoId) { fromName intoName products categories enrichments slug values } }`;
    const ids = { id: await idOf('Bosch GmbH'), intoId: await idOf('Bosch') };
    expect((await ask(PREVIEW, ids)).preview).toEqual({
      ...{ fromName: 'Bosch GmbH', intoName: 'Bosch', products: 1, categories: 0, enrichments: 1, slug: 'bosch', values: ['city'] },
    });
    expect(await merge('Bosch GmbH', 'Bosch')).toEqual({
      name: 'Bosch',
      productCount: 2,
      [names.subject]: { id, slug: 'bosch-tools' },
    });
    expect(await counts()).toEqual({ Bosch: 2 });
    expect(await records()).toMatchObject([{ id, name: 'Bosch' }]);
    expect(await create('Other', 'bosch')).toMatchObject({ slug: 'bosch' });
    expect(await detail('Bosch')).toEqual({
      values: [
        { slug: 'city', value: 'Leonberg' },
        { slug: 'motto', value: 'target' },
        { slug: 'story', value: 'of the target' },
      ],
      enrichments: { nodes: [{ label: 'Bosch' }, { label: 'Bosch' }], pagination: { total: 2 } },
    });
  });

  test('a merge into a name without an enrichment or record takes over those of the source', async () => {
    const { create, addProducts, enriched, merge, detail, records } = await open(names);
    await create('Source');
    await addProducts('Target');
    await enriched('Source', '2026-02-02', 'of the source');
    await merge('Source', 'Target');
    expect(await records()).toEqual([{ id: expect.any(String), name: 'Target', slug: 'target' }]);
    expect((await detail('Target')).values).toEqual([{ slug: 'story', value: 'of the source' }]);
  });

  test('a merge into one that is being renamed waits for the rename, and one into itself is refused', async () => {
    const { fill, addProducts, rename, mergeRefused, merge, work, counts } = await open(names);
    await fill(1_001, 'Old');
    await addProducts('Other');
    await rename('Old', 'New');
    expect(await mergeRefused('Other', 'New')).toMatch('CONFLICT: Products are still being moved to New.');
    await work();
    expect(await mergeRefused('Other', 'Other')).toMatch('INVALID_INPUT');
    await merge('Other', 'New');
    expect(await counts()).toEqual({ New: 1_002 });
  });

  test('only one without products can be deleted, and its name is free afterwards', async () => {
    const { create, addProducts, remove, counts } = await open(names);
    await create('Empty');
    await create('Used');
    await addProducts('Used', 'Named');
    for (const name of ['Used', 'Named']) expect(await remove(name)).toMatch('UNPROCESSABLE');
    expect(await remove('Empty')).toBeUndefined();
    expect(await counts()).toEqual({ Named: 1, Used: 1 });
    expect(await create('Empty')).toMatchObject({ slug: 'empty' });
  });

  test('another organization finds nothing to change', async () => {
    const [own, other] = [await open(names), await open(names)];
    await other.create('Theirs');
    await own.create('Mine');
    const [id, mine] = [await other.idOf('Theirs'), await own.idOf('Mine')];
    const MERGE = `mutation ($id: ID!, $intoId: ID!) { merge${names.Subject}(id: $id, intoId: $intoId) { name } }`;
    const refused = [
      await own.renameById(id, 'X'),
      await own.renameById((await other.records())[0].id, 'X'),
      await own.refusal(MERGE, { id, intoId: mine }),
      await own.refusal(MERGE, { id: mine, intoId: id }),
      await own.refusal(`mutation ($id: ID!) { delete${names.Subject}(id: $id) { deleted } }`, { id }),
    ];
    expect(refused.every((each) => each?.startsWith('NOT_FOUND'))).toBe(true);
    await other.fill(1_001, 'Theirs');
    await other.rename('Theirs', 'Renamed');
    const [message] = await other.messages();
    await continueMove(own.scope, message!.payload);
    expect(await other.counts()).toEqual({ Theirs: 1, Renamed: 1_000 });
  });

  test('the feed lists renamed and merged records', async () => {
    const { create, ask, rename, merge } = await open(names);
    const FEED = `query ($after: String) { catalogChanges(after: $after, limit: 100) { cursor changes { recordId deleted ${names.subject} { name } } } }`;
    const [a, b] = [await create('A'), await create('B')];
    const { cursor } = (await ask(FEED, { after: null })).catalogChanges;
    await rename('A', 'C');
    const renamed = (await ask(FEED, { after: cursor })).catalogChanges;
    expect(renamed.changes).toEqual([{ recordId: a.id, deleted: false, [names.subject]: { name: 'C' } }]);
    await merge('C', 'B');
    expect((await ask(FEED, { after: renamed.cursor })).catalogChanges.changes).toEqual([
      { recordId: a.id, deleted: true, [names.subject]: null },
    ]);
    expect(b.id).not.toBe(a.id);
  });
});

describe('the tree of categories', () => {
  const tree = async (ask: (text: string) => Promise<{ categories: { nodes: unknown[] } }>) => {
    const { categories } = await ask(
      '{ categories(isTop: true) { nodes { name productCount totalCount children { nodes { name totalCount } } } } }',
    );
    return categories.nodes;
  };

  test('a path is below the paths that it begins with, which exist too', async () => {
    const { addProducts, ask, create } = await open(CATEGORIES);
    await addProducts('Möbel > Stühle', 'möbel>Stühle > Hocker', 'Möbel', 'Lampen', 'Hosen/Röcke', '> Sale', 'A >> B');
    await create('Möbel > Tische');
    expect(await tree(ask)).toEqual([
      { name: '> Sale', productCount: 1, totalCount: 1, children: { nodes: [] } },
      { name: 'A >> B', productCount: 1, totalCount: 1, children: { nodes: [] } },
      { name: 'Hosen/Röcke', productCount: 1, totalCount: 1, children: { nodes: [] } },
      { name: 'Lampen', productCount: 1, totalCount: 1, children: { nodes: [] } },
      {
        ...{ name: 'Möbel', productCount: 1, totalCount: 3 },
        children: {
          nodes: [
            { name: 'Möbel > Stühle', totalCount: 2 },
            { name: 'Möbel > Tische', totalCount: 0 },
          ],
        },
      },
    ]);
    const { category } = await ask(
      '{ category(name: "möbel>stühle > hocker") { name ancestors { name } children { nodes { name } } } }',
    );
    expect(category).toEqual({
      name: 'möbel>Stühle > Hocker',
      ancestors: [{ name: 'Möbel' }, { name: 'Möbel > Stühle' }],
      children: { nodes: [] },
    });
  });

  test('a rename that fails for good ends, and a merge moves the rest', async () => {
    const { organizationId, fill, rename, merge, counts, work, messages, scope } = await open(CATEGORIES);
    await fill(2_500, 'Old');
    await rename('Old', 'A longer name');
    const [message] = await messages();
    const setQuota = (quota: number | null) =>
      pool.query('update identity.organizations set storage_quota = $2 where id = $1', [organizationId, quota]);
    await setQuota(1);
    await continueMove(scope, message!.payload);
    await setQuota(null);
    // Its name is free for others at once.
    await fill(10, 'Other');
    expect(await rename('Other', 'Another')).toMatchObject({ move: null });
    await work();
    expect(await counts()).toEqual({ 'A longer name': 1_000, Old: 1_500, Another: 10 });
    await merge('Old', 'A longer name');
    await work();
    expect(await counts()).toEqual({ 'A longer name': 2_500, Another: 10 });
  });

  test('a rename to another spelling also changes the names below', async () => {
    const { addProducts, rename, counts, texts } = await open(CATEGORIES);
    await addProducts('möbel > Stühle');
    await rename('möbel', 'Möbel');
    expect([await counts(), await texts()]).toEqual([{ Möbel: 0, 'Möbel > Stühle': 1 }, { 'Möbel > Stühle': 1 }]);
  });

  test('counts follow changes, deletions and records', async () => {
    const { addProducts, ask, create, remove, organizationId } = await open(CATEGORIES);
    await addProducts('A > B > C', 'A > B');
    await create('A > B > D');
    const counts = async () =>
      Object.fromEntries(
        (await ask('{ categories { nodes { name totalCount } } }')).categories.nodes.map(
          (each: { name: string; totalCount: number }) => [each.name, each.totalCount],
        ),
      );
    expect(await counts()).toEqual({ A: 2, 'A > B': 2, 'A > B > C': 1, 'A > B > D': 0 });
    await pool.query(`update catalog.products set category = 'A > X' where organization_id = $1 and category = 'A > B > C'`, [
      organizationId,
    ]);
    expect(await counts()).toEqual({ A: 2, 'A > B': 1, 'A > B > D': 0, 'A > X': 1 });
    expect(await remove('A > B > D')).toBeUndefined();
    await pool.query('delete from catalog.products where organization_id = $1', [organizationId]);
    expect(await counts()).toEqual({});
  });

  test('names that nothing uses are forgotten; those that archived products, values or histories follow stay', async () => {
    const { organizationId, addProducts, ask, idOf, enriched } = await open(CATEGORIES);
    const brands = await open(BRANDS);
    await addProducts('Gone > Deep > Deeper', 'Kept > Archived', 'Valued', 'Enriched', 'Used');
    await brands.addProducts('Gone', 'Used');
    const VALUES =
      'mutation ($id: ID!, $attributes: AttributeValues!) { updateCategoryValues(id: $id, attributes: $attributes, remove: []) { name } }';
    await ask(VALUES, { id: await idOf('Valued'), attributes: { motto: { attributeType: 'text', value: 'entered' } } });
    await enriched('Enriched', '2026-01-01', 'enriched');
    await pool.query(`update catalog.products set archived = true where organization_id = $1 and category = 'Kept > Archived'`, [
      organizationId,
    ]);
    await pool.query(
      `delete from catalog.products where organization_id = any($1) and not archived and coalesce(brand, category) <> 'Used'`,
      [[organizationId, brands.organizationId]],
    );
    while ((await forgetLabels(pool)) > 0);
    const { rows } = await pool.query(
      'select subject, array_agg(name order by name) as names from catalog.labels where organization_id = any($1) group by 1 order by 1',
      [[organizationId, brands.organizationId]],
    );
    expect(rows).toEqual([
      { subject: 'brand', names: ['Used'] },
      { subject: 'category', names: ['Enriched', 'Kept', 'Kept > Archived', 'Used', 'Valued'] },
    ]);
  });

  test('products are filtered by a category and those below it', async () => {
    const { addProducts, ask } = await open(CATEGORIES);
    await addProducts('Möbel', 'Möbel > Stühle', 'möbel > stühle > Hocker', 'Möbelpflege', 'Lampen');
    const found = async (name: string) =>
      (
        await ask(
          'query ($name: String) { products(filter: { categoryBelow: $name }, sortBy: sku) { nodes { category } pagination { total } } }',
          {
            name,
          },
        )
      ).products;
    const { nodes, pagination } = await found(' MÖBEL');
    expect(nodes.map((each: { category: string }) => each.category).sort()).toEqual([
      'Möbel',
      'Möbel > Stühle',
      'möbel > stühle > Hocker',
    ]);
    expect(pagination.total).toBe(3);
    expect((await found('Möbel > Stühle')).pagination.total).toBe(2);
    expect((await found('Nothing')).pagination.total).toBe(0);
  });

  test('a rename takes the categories below along, with their records, sets and history', async () => {
    const { addProducts, ask, create, rename, texts, records, enriched, detail } = await open(CATEGORIES);
    await create('Möbel > Stühle', 'stuehle');
    await addProducts('Möbel', 'Möbel > Stühle', 'möbel>Stühle > Hocker', 'Möbelpflege');
    await enriched('Möbel > Stühle', '2026-01-01', 'sit');
    const set = await ask('mutation { createAttributeSet(name: "Chairs", subject: product, attributeIds: []) { id } }');
    await ask('mutation ($id: ID) { setCategoryAttributeSet(category: "Möbel > Stühle", attributeSetId: $id) { id } }', {
      id: set.createAttributeSet.id,
    });
    await rename('Möbel', 'Wohnen>Möbel');
    expect(await texts()).toEqual({
      ...{ Möbelpflege: 1, 'Wohnen > Möbel': 1, 'Wohnen > Möbel > Stühle': 1, 'Wohnen > Möbel>Stühle > Hocker': 1 },
    });
    expect(await records()).toMatchObject([{ name: 'Wohnen > Möbel > Stühle', slug: 'stuehle' }]);
    expect((await detail('Wohnen > Möbel > Stühle')).values).toEqual([{ slug: 'story', value: 'sit' }]);
    const { category } = await ask('{ category(name: "Wohnen > Möbel > Stühle") { totalCount attributeSet { name } } }');
    expect(category).toEqual({ totalCount: 2, attributeSet: { name: 'Chairs' } });
    expect(await tree(ask)).toMatchObject([
      { name: 'Möbelpflege' },
      { name: 'Wohnen', productCount: 0, totalCount: 3, children: { nodes: [{ name: 'Wohnen > Möbel', totalCount: 3 }] } },
    ]);
  });

  test('a merge joins the categories below', async () => {
    const { addProducts, create, merge, mergeRefused, texts, records } = await open(CATEGORIES);
    await create('Sessel > Leder', 'leder-1');
    await create('Stühle > Leder', 'leder-2');
    await addProducts('Sessel', 'Sessel > Leder', 'Sessel > Stoff', 'Stühle > Leder > Rot', 'Stühle');
    expect(await mergeRefused('Stühle', 'Stühle > Leder')).toMatch('INVALID_INPUT: a category cannot move below itself');
    expect(await mergeRefused('Stühle > Leder', 'Stühle')).toMatch('INVALID_INPUT');
    await merge('Sessel', 'Stühle');
    expect(await texts()).toEqual({ Stühle: 2, 'Stühle > Leder': 1, 'Stühle > Leder > Rot': 1, 'Stühle > Stoff': 1 });
    expect(await records()).toMatchObject([{ name: 'Stühle > Leder', slug: 'leder-2' }]);
    await merge('Stühle > Stoff', 'Stühle');
    expect((await texts()).Stühle).toBe(3);
  });

  test('paths that cannot be are refused', async () => {
    const { addProducts, create, renameRefused, remove } = await open(CATEGORIES);
    await addProducts('A > B', `A > ${'x'.repeat(1_000)}`);
    await create('C > D');
    await create('C');
    const levels = (count: number) => Array.from({ length: count }, (_, n) => `L${n}`).join(' > ');
    expect(await renameRefused('A', 'A > B > C')).toBe('INVALID_INPUT: a category cannot move below itself');
    expect(await renameRefused('A > B', 'X > > Y')).toMatch('INVALID_INPUT: name must be a path');
    expect(await renameRefused('A > B', levels(11))).toMatch('INVALID_INPUT: name must be a path');
    expect(await renameRefused('A', levels(10))).toMatch('INVALID_INPUT: a category below it would have more than 10 levels');
    expect(await renameRefused('A', 'y'.repeat(100))).toMatch('more than 1024 characters');
    expect(await remove('C')).toBe('UNPROCESSABLE: Delete the categories below it first.');
  });

  test('many products below a category change page by page', async () => {
    const { fill, rename, texts, work, ask } = await open(CATEGORIES);
    for (const name of ['A > B', 'A > C', 'A > C > D']) await fill(700, name);
    await rename('A', 'Z');
    expect(await work()).toBeGreaterThan(1);
    expect(await texts()).toEqual({ 'Z > B': 700, 'Z > C': 700, 'Z > C > D': 700 });
    expect(await tree(ask)).toMatchObject([{ name: 'Z', totalCount: 2_100 }]);
  });
});

test('entered values replace those of enrichments until they are removed', async () => {
  const { create, enriched, detail, idOf, ask, refusal } = await open(BRANDS);
  await create('Acme');
  await enriched('Acme', '2026-01-01', 'enriched');
  const UPDATE = `mutation ($id: ID!, $attributes: AttributeValues!, $remove: [String!]!) {
    updateBrandValues(id: $id, attributes: $attributes, remove: $remove) { values { slug attributeName value at sourceKind } } }`;
  const id = await idOf('Acme');
  const story = (value: unknown, attributeType = 'text') => ({ id, attributes: { story: { attributeType, value } }, remove: [] });
  expect((await ask(UPDATE, story('<b>by hand</b><script>x</script>', 'html'))).updateBrandValues.values).toEqual([
    { slug: 'story', attributeName: 'story', value: '<b>by hand</b>', at: expect.anything(), sourceKind: null },
  ]);
  await enriched('Acme', '2026-02-02', 'enriched again');
  expect((await detail('Acme')).values).toEqual([{ slug: 'story', value: '<b>by hand</b>' }]);
  expect(await refusal(UPDATE, story(3))).toMatch('INVALID_INPUT');
  await ask(UPDATE, { id, attributes: {}, remove: ['story'] });
  expect((await detail('Acme')).values).toEqual([{ slug: 'story', value: 'enriched again' }]);
});

test.each(subjects)('the audit log has the former and the new name of a renamed, merged or deleted $subject', async (names) => {
  const { ask, fill, rename, merge, idOf, remove, create, organizationId } = await open(names);
  await fill(3, 'Old');
  await fill(2, 'Other');
  await rename('Old', 'New');
  await rename('New', 'NEW');
  await merge('NEW', 'Other');
  await create('Empty');
  await remove('Empty');
  const LOG = `query ($subject: AuditSubject) { auditLog(subject: $subject) { nodes { subjectId action actor fields changes { field before after } } } }`;
  const entries = async () => (await ask(LOG, { subject: names.subject })).auditLog.nodes;
  const change = (before: string, ...after: string[]) => ({
    fields: ['name'],
    changes: [{ field: 'name', before: [before], after }],
  });
  expect(await entries()).toMatchObject([
    { action: 'deleted', actor: 'user', ...change('Empty') },
    { action: 'merged', actor: 'user', subjectId: await idOf('Other'), ...change('NEW', 'Other') },
    { action: 'updated', actor: 'user', ...change('New', 'NEW') },
    { action: 'updated', actor: 'user', ...change('Old', 'New') },
  ]);
  // A former name that another organization uses stays with its own log.
  const stranger = await open(names);
  expect((await stranger.ask(LOG, { subject: names.subject })).auditLog.nodes).toEqual([]);
  await pool.query('delete from identity.organizations where id = $1', [organizationId]);
});
