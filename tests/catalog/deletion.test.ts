import { detached, transaction } from '../../platform/scope/index.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { emitCatalogChanges, emitProductEvents } from '../../subgraphs/catalog/changes/events.ts';
import { forgetDeleted } from '../../subgraphs/catalog/products/product-deletion.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { bodiesOf } from '../support/deliveries.ts';
import { duringTransaction } from '../support/rival.ts';
import { openSubgraph } from '../support/subgraph.ts';
import { unknownId } from './catalog.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const FIELDS = `id sku name manufacturer mpn uom brand category externalId parentId isParent enriched createdAt attributes
  provenance { slug confidence } userProvidedRawDataSources images { url } variants { sku } completeness { percent }`;

/** An organization, and edits of its products. */
async function open() {
  const { id: organizationId, key } = await graph.seed();
  const { ask, refusal } = graph.caller(key);
  const RESTORE = 'mutation ($ids: [ID!]!) { restoreProducts(ids: $ids) { ids } }';
  return {
    organizationId,
    key,
    ask,
    async create(sku: string, more: object = {}): Promise<string> {
      const CREATE = 'mutation ($input: NewProduct!) { createProduct(input: $input) { id } }';
      return (await ask(CREATE, { input: { sku, name: sku, ...more } })).createProduct.id;
    },
    read: async (id: string) => (await ask(`query ($id: ID) { product(id: $id) { ${FIELDS} } }`, { id })).product,
    remove: (id: string) => ask('mutation ($id: ID!) { deleteProduct(id: $id) { id deleted } }', { id }),
    restore: async (...ids: string[]) => (await ask(RESTORE, { ids })).restoreProducts.ids,
    refused: (...ids: string[]) => refusal(RESTORE, { ids }),
    async deleted(): Promise<string[]> {
      const { deletedProducts } = await ask('{ deletedProducts { nodes { sku } pagination { total } } }');
      const skus = deletedProducts.nodes.map(({ sku }: { sku: string }) => sku);
      expect(deletedProducts.pagination.total).toBe(skus.length);
      return skus;
    },
    /** The rows that triggers maintain about the products. */
    async counted() {
      const { rows } = await pool.query(
        `select (select coalesce(sum(count), 0)::int from catalog.product_counts where organization_id = $1) as products,
                (select coalesce(sum(product_count), 0)::int from catalog.labels where organization_id = $1) as labels,
                (select coalesce(sum(count), 0)::int from catalog.filled_groups where organization_id = $1) as groups,
                (select coalesce(sum(bytes), 0)::int from identity.stored_bytes where organization_id = $1) as bytes`,
        [organizationId],
      );
      return rows[0];
    },
  };
}

test('a restored product is the one that was deleted, with all that belongs to it', async () => {
  const { organizationId, ask, create, read, remove, restore, deleted, counted } = await open();
  await ask(`mutation { createAttribute(input: { name: "Color", slug: "color", type: text }) { id } }`);
  const parentId = await create('P', { isParent: true });
  const id = await create('V', {
    ...{ parentId, name: 'Lamp', manufacturer: 'Norrvik', mpn: 'N-1', uom: 'pc', brand: 'Norrvik', category: 'Lamps > Desk' },
    ...{ externalId: 'ext-1', userProvidedRawDataSources: ['https://example.com', 'Text \\ "quoted"\n€'] },
    attributes: { color: { attributeType: 'text', value: 'red' }, weight: { attributeType: 'number', value: 0.1 } },
  });
  await pool.query(
    `insert into catalog.product_images (id, organization_id, product_id, url, source_url, mime, bytes, content_hash)
     values (gen_random_uuid(), $1, $2, 'https://example.com/a.png', 'https://example.com', 'image/png', 5, 'h')`,
    [organizationId, id],
  );
  await pool.query(
    `update catalog.products set enriched = true, provenance = '{"color": {"confidence": 81.5, "at": "2026-01-01T00:00:00Z"}}' where id = $1`,
    [id],
  );
  const [before, countsBefore] = [await read(id), await counted()];
  expect(before).toMatchObject({ images: [{}], provenance: [{ confidence: 81.5 }], completeness: { percent: 100 } });

  expect(await remove(id)).toEqual({ deleteProduct: { id, deleted: true } });
  expect(await deleted()).toEqual(['V']);
  expect((await counted()).products).toBe(1);
  expect((await ask('{ products(limit: 10) { nodes { sku } } }')).products.nodes).toEqual([{ sku: 'P' }]);

  expect(await restore(id)).toEqual([id]);
  expect([await read(id), await counted()]).toEqual([before, countsBefore]);
  expect(await deleted()).toEqual([]);
});

test('the list shows the newest first, with the user and the end of the time', async () => {
  const { organizationId, ask, create, remove } = await open();
  for (const sku of ['A', 'B', 'C']) await remove(await create(sku, { brand: 'Norrvik' }));
  const LIST = `query ($after: String) { deletedProducts(limit: 2, after: $after) { endCursor
    nodes { sku name brand category deletedAt expiresAt deletedBy { id } } } }`;
  const { deletedProducts: first } = await ask(LIST);
  expect(first.nodes).toMatchObject([
    { sku: 'C', name: 'C', brand: 'Norrvik', category: null, deletedBy: { id: expect.any(String) } },
    { sku: 'B' },
  ]);
  const [{ deletedAt, expiresAt }] = first.nodes;
  expect(Date.parse(expiresAt) - Date.parse(deletedAt)).toBe(30 * 86_400_000);
  expect((await ask(LIST, { after: first.endCursor })).deletedProducts).toMatchObject({ endCursor: null, nodes: [{ sku: 'A' }] });

  await pool.query(
    `update catalog.deleted_products set deleted_at = now() - interval '31 days' where organization_id = $1 and sku <> 'C'`,
    [organizationId],
  );
  expect(await forgetDeleted(pool)).toBe(2);
  expect((await ask(LIST)).deletedProducts.nodes).toMatchObject([{ sku: 'C' }]);
});

test('variants come back to their parent, unless they have another one', async () => {
  const { ask, create, read, remove, restore } = await open();
  const parentId = await create('P', { isParent: true });
  const other = await create('O', { isParent: true });
  const [stays, moves] = [await create('V1', { parentId }), await create('V2', { parentId })];
  await remove(parentId);
  expect((await read(stays)).parentId).toBeNull();
  await ask('mutation ($id: ID!, $parentId: ID) { updateProduct(id: $id, input: { parentId: $parentId }) { id } }', {
    id: moves,
    parentId: other,
  });
  await restore(parentId);
  expect((await read(parentId)).variants).toEqual([{ sku: 'V1' }]);
  expect((await read(moves)).parentId).toBe(other);
});

test.each([
  ['together', ['both']],
  ['the parent first', ['parent', 'variant']],
  ['the variant first', ['variant', 'parent']],
])('a family that was deleted is one again when it is restored %s', async (_, steps) => {
  const { create, read, remove, restore } = await open();
  const parent = await create('P', { isParent: true });
  const variant = await create('V', { parentId: parent });
  await remove(variant);
  await remove(parent);
  const ids: Record<string, string[]> = { both: [variant, parent], parent: [parent], variant: [variant] };
  for (const step of steps) await restore(...ids[step]!);
  expect((await read(variant)).parentId).toBe(parent);
  expect((await read(parent)).variants).toEqual([{ sku: 'V' }]);
});

test('a variant whose parent groups none any more is restored without it', async () => {
  const { ask, create, read, remove, restore } = await open();
  const parentId = await create('P', { isParent: true });
  const id = await create('V', { parentId });
  await remove(id);
  await ask('mutation ($id: ID!) { updateProduct(id: $id, input: { isParent: false }) { id } }', { id: parentId });
  await restore(id);
  expect((await read(id)).parentId).toBeNull();
});

test('a key that another product has meanwhile is named, and nothing is restored', async () => {
  const { ask, create, remove, restore, refused, deleted } = await open();
  const [one, two] = [await create('A', { externalId: 'ext' }), await create('B')];
  await remove(one);
  await remove(two);
  const taken = await create('A');
  expect(await refused(one, two)).toBe('CONFLICT: Products with these SKUs/externalIds already exist: A');
  expect(await deleted()).toEqual(['B', 'A']);
  // A conflict names the place in the request, where an id may be repeated.
  const answer = await ask('mutation ($ids: [ID!]!) { restoreProducts(ids: $ids) { ids } }', { ids: [two, two, one, one] }).catch(
    (error: Error) => JSON.parse(error.message)[0].extensions.details.conflicts,
  );
  expect(answer).toEqual([{ index: 2, field: 'sku', value: 'A', reason: 'exists' }]);
  await remove(taken);
  await create('C', { externalId: 'ext' });
  expect(await refused(one)).toBe('CONFLICT: Products with these SKUs/externalIds already exist: ext');
  expect(await restore(two)).toEqual([two]);
});

test('a product is restored once, and only in its organization', async () => {
  const { create, remove, restore, refused } = await open();
  const stranger = await open();
  const id = await create('A');
  await remove(id);
  expect(await stranger.refused(id)).toBe('NOT_FOUND: Product not found');
  expect(await stranger.deleted()).toEqual([]);
  const results = await Promise.allSettled([restore(id), restore(id), restore(id)]);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await refused(id)).toBe('NOT_FOUND: Product not found');
  for (const wrong of [unknownId, 'x']) expect(await refused(wrong)).toBe('NOT_FOUND: Product not found');
});

test('a restoration that meets a new product with the same SKU is refused', async () => {
  const { organizationId, create, remove, refused, deleted } = await open();
  const id = await create('A');
  await remove(id);
  const answer = duringTransaction(
    (rival) =>
      rival.query(`insert into catalog.products (id, organization_id, sku, name) values (gen_random_uuid(), $1, 'A', 'New')`, [
        organizationId,
      ]),
    () => refused(id),
    undefined,
    pool,
  );
  expect(await answer).toBe('CONFLICT: Products with these SKUs/externalIds already exist: A');
  expect(await deleted()).toEqual(['A']);
});

test('a variant that is created during the deletion of its parent is refused', async () => {
  const { ask, create, remove, restore, read } = await open();
  const parentId = await create('P', { isParent: true });
  const CREATE = 'mutation ($input: NewProduct!) { createProduct(input: $input) { id } }';
  const creations = [1, 2, 3, 4].map((n) => ask(CREATE, { input: { sku: `V${n}`, name: 'V', parentId } }));
  const [, ...made] = await Promise.allSettled([remove(parentId), ...creations]);
  await restore(parentId);
  const { variants } = await read(parentId);
  expect(variants).toHaveLength(made.filter(({ status }) => status === 'fulfilled').length);
});

test('open proposals of a deleted product leave the review and come back with it', async () => {
  const { organizationId, ask, create, remove, restore } = await open();
  const id = await create('A', { attributes: { color: { attributeType: 'text', value: 'red' } } });
  const job = 'insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id)';
  await pool.query(
    `with j as (${job} values (gen_random_uuid(), $1, 'product-enrichment', 'completed', 'pro-v1', 1, gen_random_uuid()) returning id),
          i as (insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, product_id, status)
                select gen_random_uuid(), $1, j.id, 0, 0, $2, 'completed' from j returning id, job_id)
     insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, proposed)
     select i.id, 'color', $1, i.job_id, $2, 80, '{"attributeId": null, "attributeName": "Color", "attributeType": "text", "value": "red"}' from i`,
    [organizationId, id],
  );
  const queue = async () =>
    (await ask('{ reviewQueue { nodes { slug confidence proposed { value } } pagination { total } } }')).reviewQueue;
  const before = await queue();
  expect(before.pagination.total).toBe(1);
  await remove(id);
  expect((await queue()).pagination.total).toBe(0);
  await restore(id);
  expect(await queue()).toEqual(before);
});

test('the feed and its events say that the product is there again', async () => {
  const { organizationId, ask, create, remove, restore } = await open();
  const EVENTS = ['product.created', 'product.updated', 'product.deleted'];
  const old = await create('OLD');
  await remove(old);
  await pool.query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, method, events) values (gen_random_uuid(), $1, 'catalog', 'http://127.0.0.1:9', 'post', $2)`,
    [organizationId, EVENTS],
  );
  await transaction(detached({ organizationId, services: graph.services }), (scope) => emitProductEvents(scope, EVENTS));
  let seen = 0;
  const told = async () => {
    await emitCatalogChanges(graph.services);
    const bodies = await bodiesOf(pool, 'd.organization_id = $1', [organizationId]);
    const unseen = bodies.slice(seen);
    seen = bodies.length;
    return unseen.map(({ event, payload }) => [event, payload.products.map(({ sku }: { sku: string }) => sku)]);
  };
  const id = await create('A');
  expect(await told()).toEqual([['product.created', ['A']]]);
  await remove(id);
  expect(await told()).toEqual([['product.deleted', ['A']]]);
  await restore(id);
  expect(await told()).toEqual([['product.created', ['A']]]);
  await remove(id);
  await restore(id);
  expect(await told()).toEqual([['product.updated', ['A']]]);
  // Its receivers never knew it.
  await restore(old);
  expect(await told()).toEqual([['product.created', ['OLD']]]);
  const { changes } = (await ask('{ catalogChanges { changes { recordId deleted product { sku } } } }')).catalogChanges;
  expect(changes).toEqual([
    { recordId: id, deleted: false, product: { sku: 'A' } },
    { recordId: old, deleted: false, product: { sku: 'OLD' } },
  ]);
});

test('deleted products are counted, make room when the storage is almost full, and take none from new products', async () => {
  const { organizationId, create, remove, restore, refused, deleted, counted } = await open();
  const text = 'x'.repeat(10_000);
  const ids: string[] = [];
  for (const sku of ['A', 'B', 'C', 'D']) ids.push(await create(sku, { userProvidedRawDataSources: [text] }));
  const { bytes } = await counted();
  await remove(ids[0]!);
  expect((await counted()).bytes).toBeGreaterThan(bytes * 0.9);
  await pool.query('update identity.organizations set storage_quota = $2 where id = $1', [organizationId, bytes]);
  await remove(ids[1]!);
  // The one that was deleted first is gone.
  expect(await deleted()).toEqual(['B']);
  expect(await refused(ids[0]!)).toBe('NOT_FOUND: Product not found');
  await create('E');
  expect(await restore(ids[1]!)).toEqual([ids[1]]);
  for (const id of ids.slice(1)) await remove(id);
  expect(await deleted()).not.toEqual([]);
  for (const sku of ['F', 'G', 'H']) await create(sku, { userProvidedRawDataSources: [text] });
});
