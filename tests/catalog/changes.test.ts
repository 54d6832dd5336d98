import { detached, transaction } from '../../platform/scope/index.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { emitCatalogChanges, emitProductEvents } from '../../subgraphs/catalog/changes/events.ts';
import { pruneCatalogChanges } from '../../subgraphs/catalog/changes/feed.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { bodiesOf } from '../support/deliveries.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const CHANGES = `query ($after: String, $limit: Int) { catalogChanges(after: $after, limit: $limit) { cursor hasMore
  changes { recordId subject deleted sku externalId product { name attributes } brand { name } category { name } } } }`;

/** An organization with its feed, and edits of products. */
async function open() {
  const { id: organizationId, key } = await graph.seed();
  const api = graph.caller(key);
  return {
    organizationId,
    refusal: (after: string) => api.refusal(CHANGES, { after }),
    async read(after: string | null = null, limit = 500) {
      return (await api.ask(CHANGES, { after, limit })).catalogChanges;
    },
    async create(sku: string, more: object = {}): Promise<string> {
      const CREATE = 'mutation ($input: NewProduct!) { createProduct(input: $input) { id } }';
      return (await api.ask(CREATE, { input: { sku, name: sku, ...more } })).createProduct.id;
    },
    rename: (id: string, name: string) =>
      api.ask('mutation ($id: ID!, $name: String) { updateProduct(id: $id, input: { name: $name }) { id } }', { id, name }),
    remove: (id: string) => api.ask('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id }),
    ask: api.ask,
  };
}

const named = (changes: { sku: string; product: { name: string } | null }[]) =>
  changes.map(({ sku, product }) => [sku, product?.name]);

test('the feed lists each record once, with its latest change, and deletions with their SKU', async () => {
  const { read, create, rename, remove, ask } = await open();
  const anvil = await create('A', { externalId: 'ext-a' });
  const bolt = await create('B');
  await ask('mutation { createBrand(name: "Norrvik") { created } }');
  await ask('mutation { createCategory(name: "Tools") { created } }');
  const first = await read();
  expect(first).toMatchObject({
    hasMore: false,
    changes: [
      {
        recordId: anvil,
        subject: 'product',
        deleted: false,
        sku: 'A',
        externalId: 'ext-a',
        product: { name: 'A', attributes: {} },
      },
      { recordId: bolt, subject: 'product', sku: 'B', externalId: null, brand: null, category: null },
      { subject: 'brand', sku: null, product: null, brand: { name: 'Norrvik' } },
      { subject: 'category', category: { name: 'Tools' } },
    ],
  });
  expect(await read(first.cursor)).toEqual({ cursor: first.cursor, hasMore: false, changes: [] });
  await rename(bolt, 'Bolt');
  await rename(bolt, 'Bolt M8');
  await remove(anvil);
  const second = await read(first.cursor);
  expect(second.changes).toMatchObject([
    { recordId: bolt, deleted: false, product: { name: 'Bolt M8' } },
    { recordId: anvil, deleted: true, sku: 'A', externalId: 'ext-a', product: null },
  ]);
  // A reader without records needs no deletions.
  expect(named((await read()).changes)).toEqual([
    [null, undefined],
    [null, undefined],
    ['B', 'Bolt M8'],
  ]);
});

test('a reader of several pages sees the changes that happen meanwhile', async () => {
  const { read, create, rename, remove } = await open();
  const ids: string[] = [];
  for (const sku of ['A', 'B', 'C', 'D']) ids.push(await create(sku));
  const one = await read(null, 2);
  expect([named(one.changes), one.hasMore]).toEqual([
    [
      ['A', 'A'],
      ['B', 'B'],
    ],
    true,
  ]);
  await remove(ids[0]!);
  await rename(ids[1]!, 'B2');
  await remove(ids[3]!);
  const two = await read(one.cursor, 2);
  expect([named(two.changes), two.hasMore]).toEqual([
    [
      ['C', 'C'],
      ['A', undefined],
    ],
    true,
  ]);
  const three = await read(two.cursor, 2);
  expect([named(three.changes), three.hasMore]).toEqual([
    [
      ['B', 'B2'],
      ['D', undefined],
    ],
    false,
  ]);
});

test('a change whose transaction commits late is listed after it committed', async () => {
  const { organizationId, read, create } = await open();
  const { cursor } = await read();
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `insert into catalog.brands (id, organization_id, name, slug) values (gen_random_uuid(), $1, 'Late', 'late')`,
      [organizationId],
    );
    await create('QUICK');
    const early = await read(cursor);
    expect(named(early.changes)).toEqual([['QUICK', 'QUICK']]);
    await client.query('commit');
    expect((await read(early.cursor)).changes).toMatchObject([{ subject: 'brand', brand: { name: 'Late' } }]);
  } finally {
    client.release(true);
  }
});

test('readers at the same time number no change twice', async () => {
  const { read, create } = await open();
  const ids = new Set(await Promise.all(Array.from({ length: 40 }, (_, n) => create(`S-${n}`))));
  const pages = await Promise.all(Array.from({ length: 8 }, () => read()));
  for (const { changes } of pages) expect(changes.every(({ recordId }: { recordId: string }) => ids.has(recordId))).toBe(true);
  const { changes } = await read();
  expect(new Set(changes.map(({ recordId }: { recordId: string }) => recordId))).toEqual(ids);
  expect(changes).toHaveLength(40);
});

test('the feed of another organization has none of the changes, and refuses cursors that it never gave', async () => {
  const one = await open();
  const two = await open();
  await one.create('SECRET');
  const { cursor } = await one.read();
  expect((await two.read()).changes).toEqual([]);
  const unknown = 'INVALID_INPUT: after must be the cursor of an earlier response';
  expect(await two.refusal(cursor)).toBe(unknown);
  for (const after of ['-1', '1-', 'x', '999999999999999', '1e3', '٣'])
    expect([after, await one.refusal(after)]).toEqual([after, unknown]);
});

test('a cursor older than the retained deletions is refused, a new reader is not', async () => {
  const { organizationId, read, refusal, create, remove } = await open();
  const id = await create('OLD');
  const { cursor } = await read();
  await remove(id);
  await read(cursor);
  await pool.query(`update catalog.changes set at = now() - interval '91 days' where organization_id = $1`, [organizationId]);
  expect(await pruneCatalogChanges(pool)).toBeGreaterThan(0);
  expect(await refusal(cursor)).toMatch(/^UNPROCESSABLE: The cursor is older than the retained deletions/);
  expect(await read()).toMatchObject({ changes: [], hasMore: false });
});

test('a deletion that no reader has seen is forgotten too, and earlier cursors are refused', async () => {
  const { organizationId, read, refusal, create, remove } = await open();
  const id = await create('UNREAD');
  const { cursor } = await read();
  await remove(id);
  await pool.query(`update catalog.changes set at = now() - interval '91 days' where organization_id = $1`, [organizationId]);
  await pruneCatalogChanges(pool);
  const { rows } = await pool.query('select record_id from catalog.changes where organization_id = $1', [organizationId]);
  expect(rows).toEqual([]);
  expect(await refusal(cursor)).toMatch(/^UNPROCESSABLE: The cursor is older than the retained deletions/);
  const fresh = await read();
  expect(fresh).toMatchObject({ changes: [], hasMore: false });
  await create('NEXT');
  expect(named((await read(fresh.cursor)).changes)).toEqual([['NEXT', 'NEXT']]);
});

test('the first page of a replaced catalog does not read its deletions', async () => {
  const { organizationId, read, create, remove } = await open();
  await pool.query(
    `insert into catalog.changes (record_id, organization_id, subject, number, deleted)
     select gen_random_uuid(), $1, 'product', n, true from generate_series(1, 20000) n`,
    [organizationId],
  );
  await pool.query('insert into catalog.change_counters (organization_id, last) values ($1, 20000)', [organizationId]);
  for (const sku of ['A', 'B', 'C']) await create(sku);
  await pool.query('analyze catalog.changes');
  const first = await read(null, 2);
  expect(named(first.changes)).toEqual([
    ['A', 'A'],
    ['B', 'B'],
  ]);
  const [gone] = first.changes;
  await remove(gone.recordId);
  const { rows, blocks } = await readBy(pool, () => read(null, 2));
  expect(rows).toBeLessThan(50);
  expect(blocks).toBeLessThan(50);
  const next = await read(first.cursor);
  expect(next).toMatchObject({
    hasMore: false,
    changes: [
      { sku: 'C', deleted: false },
      { sku: 'A', deleted: true },
    ],
  });
});

test('an organization is deleted with its feed', async () => {
  const { organizationId, read, create } = await open();
  const parentId = await create('P', { isParent: true });
  await create('V', { parentId });
  await read();
  await pool.query('delete from identity.organizations where id = $1', [organizationId]);
  const { rows } = await pool.query(
    'select (select count(*) from catalog.changes where organization_id = $1)::int + (select count(*) from catalog.change_counters where organization_id = $1)::int as left',
    [organizationId],
  );
  expect(rows).toEqual([{ left: 0 }]);
});

describe('events of products', () => {
  const EVENTS = ['product.created', 'product.updated', 'product.deleted'];

  /** An organization whose webhook receives these events, and the events that it got since the last call, as names and SKUs. */
  async function subscribed(events = EVENTS) {
    const opened = await open();
    const { organizationId } = opened;
    await opened.create('BEFORE');
    await pool.query(
      `insert into webhooks.subscriptions (id, organization_id, surface, url, method, events) values (gen_random_uuid(), $1, 'catalog', 'http://127.0.0.1:9', 'post', $2)`,
      [organizationId, events],
    );
    await transaction(detached({ organizationId, services: graph.services }), (scope) => emitProductEvents(scope, events));
    let seen = 0;
    const told = async (): Promise<[string, string[]][]> => {
      await emitCatalogChanges(graph.services);
      const bodies = await bodiesOf(pool, 'd.organization_id = $1', [organizationId]);
      const unseen = bodies.slice(seen);
      seen = bodies.length;
      return unseen.map(({ event, payload }) => [event, payload.products.map(({ sku }: { sku: string }) => sku)]);
    };
    return { ...opened, told };
  }

  test('name what was created, changed and deleted since the webhook exists, each once', async () => {
    const { create, rename, remove, told } = await subscribed();
    expect(await told()).toEqual([]);
    const a = await create('A');
    const b = await create('B');
    await rename(a, 'A2');
    expect(await told()).toEqual([['product.created', ['B', 'A']]]);
    await rename(a, 'A3');
    await remove(b);
    const short = await create('SHORT');
    await remove(short);
    expect(await told()).toEqual([
      ['product.updated', ['A']],
      ['product.deleted', ['B']],
    ]);
    expect(await told()).toEqual([]);
  });

  test('an old product that changes is no new one', async () => {
    const { organizationId, rename, told } = await subscribed();
    const { rows } = await pool.query(`select id from catalog.products where organization_id = $1`, [organizationId]);
    await rename(rows[0].id, 'Changed');
    expect(await told()).toEqual([['product.updated', ['BEFORE']]]);
  });

  test('are folded for bulk work, 500 products an event, and sweeps at the same time emit each once', async () => {
    const { organizationId, told } = await subscribed(['product.created']);
    expect(await told()).toEqual([]);
    await pool.query(
      `insert into catalog.products (id, organization_id, sku, name) select gen_random_uuid(), $1, 'N-' || n, 'N' from generate_series(1, 1100) n`,
      [organizationId],
    );
    await Promise.all([1, 2, 3].map(() => emitCatalogChanges(graph.services)));
    const events = await told();
    expect(events.map(([event, skus]) => [event, skus.length])).toEqual([
      ['product.created', 500],
      ['product.created', 500],
      ['product.created', 100],
    ]);
    expect(new Set(events.flatMap(([, skus]) => skus)).size).toBe(1_100);
  });

  test('a new product that changes before its event is announced as new, not as changed', async () => {
    const { organizationId, create, rename, read, told } = await subscribed();
    const id = await create('FIRST');
    await read();
    await pool.query(
      `insert into catalog.products (id, organization_id, sku, name) select gen_random_uuid(), $1, 'N-' || n, 'N' from generate_series(1, 5000) n`,
      [organizationId],
    );
    // It is now the last one, behind as many changes as one reader numbers.
    await rename(id, 'Changed');
    const events = await told();
    while (
      (await pool.query(`select from catalog.changes where organization_id = $1 and number is null`, [organizationId])).rowCount
    )
      events.push(...(await told()));
    expect(events.filter(([, skus]) => skus.includes('FIRST')).map(([event]) => event)).toEqual(['product.created']);
    expect(events.flatMap(([, skus]) => skus)).toHaveLength(5_001);
  });

  test.each(['commit', 'rollback'])('a product that a writer holds is announced once after the %s', async (end) => {
    const { create, read, told } = await subscribed();
    const id = await create('HELD');
    await create('FREE');
    await read();
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query(`update catalog.products set name = 'Held' where id = $1`, [id]);
      const before = await told();
      await client.query(end);
      const events = [...before, ...(await told())];
      expect(events.map(([event]) => event)).not.toContain('product.updated');
      expect(events.flatMap(([, skus]) => skus).toSorted()).toEqual(['FREE', 'HELD']);
    } finally {
      client.release(true);
    }
  });

  test('a webhook that is created later gets no events of the time without one', async () => {
    const { organizationId, create, told } = await subscribed(['product.created']);
    await create('FIRST');
    expect(await told()).toEqual([['product.created', ['FIRST']]]);
    await pool.query('delete from webhooks.subscriptions where organization_id = $1', [organizationId]);
    await create('UNSEEN');
    await emitCatalogChanges(graph.services);
    await create('UNSEEN-2');
    await pool.query(
      `insert into webhooks.subscriptions (id, organization_id, surface, url, method, events) values (gen_random_uuid(), $1, 'catalog', 'http://127.0.0.1:9', 'post', $2)`,
      [organizationId, EVENTS],
    );
    await transaction(detached({ organizationId, services: graph.services }), (scope) => emitProductEvents(scope, EVENTS));
    await emitCatalogChanges(graph.services);
    await create('LAST');
    await emitCatalogChanges(graph.services);
    const bodies = await bodiesOf(pool, 'd.organization_id = $1', [organizationId]);
    expect(bodies.map(({ payload }) => payload.products.map(({ sku }: { sku: string }) => sku))).toEqual([['LAST']]);
  });
});
