import { type Catalog, openCatalog } from '../catalog/catalog.ts';
import { ended } from '../catalog/enrichment.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { csv, sendForm } from '../uploads/files.ts';

const JOBS = '/ai-import-jobs';
let catalog: Catalog;
let job: string;
beforeAll(async () => {
  catalog = await openCatalog();
  const { body } = await sendForm(catalog, `${JOBS}/create`, [csv('SKU,Name\nA-100,Anvil 100%\nB_1,Ångström İ\n')]);
  job = body.data.jobId;
  expect(await ended(catalog, job)).toBe('completed');
});

const found = async (searchQuery: string): Promise<string[]> => {
  const { items } = (await catalog.post(`${JOBS}/${job}/items/get`, { searchQuery })).body.data;
  return items.map(({ data }: { data: { sku: string } }) => data.sku);
};

test.each([
  ['part of a name, in any case', 'ANV', ['A-100']],
  ['part of a SKU, in any case', 'b_', ['B_1']],
  ['letters beyond ASCII', 'ÅNGSTRÖM', ['B_1']],
  ['a letter that JavaScript lowers to two', 'm İ', ['B_1']],
  ['a percent sign, as it stands', '0%', ['A-100']],
  ['an underscore, as it stands', 'A_1', []],
  ['a backslash, as it stands', '\\', []],
  ['spaces around', '  anvil  ', ['A-100']],
  ['nothing', '', ['A-100', 'B_1']],
])('items are found by %s', async (_, searchQuery, skus) => {
  expect(await found(searchQuery)).toEqual(skus);
});

test('a search in a large import reads its index', async () => {
  await database().query(
    `insert into catalog.import_items (organization_id, job_id, type, match_key, name, sku, data)
     select $1, $2, 'standalone', 'filler ' || n, md5(n::text), 'F-' || n,
            jsonb_build_object('name', 'Filler', 'sku', 'F-' || n, 'variantOptions', '{}'::jsonb)
       from generate_series(1, 5000) as n`,
    [catalog.organization.id, job],
  );
  await database().query('vacuum analyze catalog.import_items');
  const scans = async (): Promise<number> => {
    const read = `select idx_scan::int as scans from pg_stat_user_indexes where indexrelname = 'import_items_search'`;
    return (await database().query(read)).rows[0].scans;
  };
  const before = await scans();
  // A connection reports its statistics at most once per second, on its next use.
  await until(async () => {
    expect(await found('F-4711')).toEqual(['F-4711']);
    return (await scans()) > before;
  });
});
