import { detached, transaction } from '../../platform/scope/index.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { postTouches, touchVariants } from '../../subgraphs/catalog/products/write-contents.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const EARLY = '2020-01-01T00:00:00Z';

/** A parent with variants that were last changed long ago. */
async function storeParent(variants: number) {
  const { id: organizationId } = await graph.seed();
  const scope = detached({ organizationId, services: graph.services });
  const parent = await pool.query(
    `insert into catalog.products (id, organization_id, sku, name, is_parent) values (gen_random_uuid(), $1, 'P', 'P', true) returning id`,
    [organizationId],
  );
  const parentId: string = parent.rows[0].id;
  await pool.query(
    `insert into catalog.products (id, organization_id, sku, name, parent_id, updated_at)
     select gen_random_uuid(), $1, n::text, 'V', $2, $4 from generate_series(1, $3::int) n`,
    [organizationId, parentId, variants, EARLY],
  );
  const post = () => transaction(scope, (inner) => postTouches(inner, [parentId]));
  const messages = async (): Promise<{ parentId: string; after: string | null }[]> => {
    const where = `topic = 'variants.touch' and payload ->> 'parentId' = $1`;
    return (await pool.query(`select payload from identity.outbox where ${where} order by id`, [parentId])).rows.map(
      ({ payload }) => payload,
    );
  };
  const untouched = async (): Promise<number> =>
    (await pool.query('select count(*)::int from catalog.products where parent_id = $1 and updated_at = $2', [parentId, EARLY]))
      .rows[0].count;
  return { scope, parentId, post, messages, untouched };
}

/** The statement with which the relay claims messages. */
const CLAIM = `update identity.outbox set attempts = 1 where id in (
  select id from identity.outbox where attempts = 0 and payload ->> 'parentId' = $1 for update skip locked) returning payload`;

test('the variants of a renamed product are touched in batches, each of which posts the next', async () => {
  const { scope, parentId, post, messages, untouched } = await storeParent(1_001);
  await post();
  const left: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const [message] = (await pool.query(CLAIM, [parentId])).rows;
    // A batch that runs again after a crash changes no other variants.
    for (const _ of [1, 2]) await touchVariants(scope, message.payload);
    left.push(await untouched());
  }
  expect(left).toEqual([501, 1, 0]);
  expect((await messages()).at(-1)!.after).not.toBeNull();
});

test('a product that is renamed many times has one message', async () => {
  const { scope, parentId, post, messages } = await storeParent(600);
  for (let time = 0; time < 5; time += 1) await post();
  expect(await messages()).toEqual([{ organizationId: scope.organizationId, parentId, after: null }]);
  // It also replaces the rest of an earlier one.
  await touchVariants(scope, { parentId, after: null });
  expect(await messages()).toHaveLength(1);
  await pool.query(CLAIM, [parentId]);
  await post();
  expect(await messages()).toHaveLength(2);
});

test('a message that a later rename relies on is not claimed before that rename commits', async () => {
  const { scope, parentId, post } = await storeParent(1);
  await post();
  const relay = await pool.connect();
  try {
    await transaction(scope, async (inner) => {
      await postTouches(inner, [parentId]);
      expect((await relay.query(CLAIM, [parentId])).rows).toEqual([]);
    });
    expect((await relay.query(CLAIM, [parentId])).rows).toHaveLength(1);
  } finally {
    relay.release();
  }
});

test('variants of another organization are not touched', async () => {
  const [own, other] = [await storeParent(2), await storeParent(2)];
  await touchVariants(own.scope, { parentId: other.parentId, after: null });
  expect(await other.untouched()).toBe(2);
});
