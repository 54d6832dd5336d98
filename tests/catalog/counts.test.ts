import { database } from '../support/seed.ts';
import { openCatalog } from './catalog.ts';

const filters = [
  {},
  { parentFilter: 'parent' },
  { parentFilter: 'non-parent' },
  { enrichedFilter: 'enriched' },
  { enrichedFilter: 'not-enriched' },
];
const conditions = ['true', 'is_parent', 'not is_parent', 'enriched', 'not enriched'];

/** A reproducible series of numbers below a bound. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
}

test.each([1, 2, 3])('totals stay correct over a random series of changes (%i)', async (seed) => {
  const { organization, post, total } = await openCatalog();
  const db = database();
  const next = numbers(seed);
  const known = async () =>
    (await db.query('select id, sku from catalog.products where organization_id = $1 order by sku', [organization.id])).rows;
  const product = () => ({ sku: `S${next(60)}`, name: 'n', isParent: next(3) === 0 });

  for (let step = 0; step < 40; step++) {
    const rows = await known();
    const row = rows[next(Math.max(1, rows.length))];
    const change = next(5);
    if (change === 0) await post('/products/create', product());
    else if (change === 1) await post('/products/bulk-create', { products: [product(), product(), product()] });
    else if (change === 2 && row) await post(`/products/${row.id}/delete`);
    else if (change === 3 && row) await post(`/products/${row.id}/update`, product());
    // The same update as a job on completion.
    else if (row) await db.query('update catalog.products set enriched = not enriched where id = $1', [row.id]);
  }

  for (const [index, filter] of filters.entries()) {
    const truth = await db.query(
      `select count(*)::int as n from catalog.products where organization_id = $1 and ${conditions[index]}`,
      [organization.id],
    );
    expect(await total(filter)).toBe(truth.rows[0].n);
  }
});

test('concurrent changes are all counted', async () => {
  const { post, create, total } = await openCatalog();
  const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => create({ sku: `A${n}` })));
  await Promise.all([
    ...ids.slice(0, 10).map((id) => post(`/products/${id}/delete`)),
    ...ids.slice(10).map((id, n) => post(`/products/${id}/update`, { sku: `A${n + 10}`, name: 'n', isParent: true })),
    ...ids.map((_, n) => post('/products/create', { sku: `B${n}`, name: 'n' })),
  ]);
  expect(await Promise.all([total(), total({ parentFilter: 'parent' }), total({ parentFilter: 'non-parent' })])).toEqual([
    30, 10, 20,
  ]);
});
