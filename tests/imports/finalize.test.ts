import { type Catalog, ok, openCatalog, refused, unknownId } from '../catalog/catalog.ts';
import { ended } from '../catalog/enrichment.ts';
import { duringTransaction } from '../support/rival.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { csv, sendForm } from '../uploads/files.ts';

interface Item {
  id: string;
  status: string;
  errorMessage: string | null;
  data: { sku: string };
}

const JOBS = '/ai-import-jobs';
const finalize = (catalog: Catalog, job: string, body: object) => catalog.post(`${JOBS}/${job}/finalize`, body);

/** An import with these rows, and its items by SKU. */
async function found(catalog: Catalog, rows: string, columns = 'SKU,Name,Parent SKU') {
  const { body } = await sendForm(catalog, `${JOBS}/create`, [csv(`${columns}\n${rows}`)]);
  const job: string = body.data.jobId;
  expect(await ended(catalog, job)).toBe('completed');
  const items = async () => {
    const { items } = (await catalog.post(`${JOBS}/${job}/items/get`)).body.data;
    return Object.fromEntries(items.map((item: Item) => [item.data.sku, item])) as Record<string, Item>;
  };
  return { job, items };
}

test('an unknown item rejects the whole finalize request and is named', async () => {
  const catalog = await openCatalog();
  const { job, items } = await found(catalog, 'A,Anvil,\nB,Bolt,');
  const elsewhere = await found(catalog, 'C,Clamp,');
  const stranger = (await elsewhere.items()).C!.id;
  const { A } = await items();
  const unknown = (missingIds: string[]) => refused(404, 'Import item not found', { missingIds });
  expect(await finalize(catalog, job, { itemIds: [A!.id, unknownId, 'no-id', unknownId, stranger] })).toEqual(
    unknown([unknownId, 'no-id', stranger]),
  );
  // Ignoring a malformed excluded id would import an unwanted item.
  expect(await finalize(catalog, job, { all: true, excludedIds: [stranger] })).toEqual(unknown([stranger]));
  expect(await catalog.total()).toBe(0);
  expect(await finalize(catalog, job, { itemIds: [A!.id.toUpperCase(), A!.id] })).toEqual(
    ok({ jobId: job, imported: 1, failed: 0 }),
  );
});

test('a SKU that is taken concurrently fails only its item and its variants', async () => {
  const catalog = await openCatalog();
  const { job, items } = await found(catalog, 'A,Anvil,\nT,Shirt,\nT-R,Shirt red,T\nZ,Zip,');
  const rival = await database().connect();
  try {
    await rival.query('begin');
    for (const sku of ['Z', 'T']) {
      await rival.query(
        `insert into catalog.products (id, organization_id, sku, name) values (gen_random_uuid(), $1, $2, 'Taken')`,
        [catalog.organization.id, sku],
      );
    }
    const finalizing = finalize(catalog, job, { all: true });
    await until(() => isWaitedFor(rival));
    await rival.query('commit');
    expect(await finalizing).toEqual(ok({ jobId: job, imported: 1, failed: 3 }));
  } finally {
    rival.release();
  }
  const { A, T, Z, ...rest } = await items();
  expect(A).toMatchObject({ status: 'completed', errorMessage: null });
  expect(T).toMatchObject({ status: 'failed', errorMessage: 'A product with the SKU T already exists.' });
  expect(rest['T-R']).toMatchObject({ status: 'failed', errorMessage: 'The family of this variant was not imported.' });
  expect(Z).toMatchObject({ status: 'failed', errorMessage: 'A product with the SKU Z already exists.' });
  expect(await catalog.total()).toBe(3);
});

test('variants of a family that was deleted concurrently fail, and other items are imported', async () => {
  const catalog = await openCatalog();
  const { job, items } = await found(catalog, 'A,Anvil,\nT,Shirt,\nT-R,Shirt red,T');
  const { T } = await items();
  await finalize(catalog, job, { itemIds: [T!.id] });
  const [shirt] = (await catalog.post('/products/get')).body.data.products;
  await catalog.post(`/products/${shirt.id}/delete`);
  expect(await finalize(catalog, job, { all: true })).toEqual(ok({ jobId: job, imported: 1, failed: 1 }));
  expect((await items())['T-R']).toMatchObject({ status: 'failed', errorMessage: 'The family of this variant was not imported.' });
});

test('variants of a family that is deleted during the import fail, and other items are imported', async () => {
  const catalog = await openCatalog();
  const { job, items } = await found(catalog, 'A,Anvil,\nT,Shirt,\nT-R,Shirt red,T');
  const { T } = await items();
  await finalize(catalog, job, { itemIds: [T!.id] });
  const finalized = await duringTransaction(
    (rival) => rival.query(`delete from catalog.products where organization_id = $1 and sku = 'T'`, [catalog.organization.id]),
    () => finalize(catalog, job, { all: true }),
  );
  expect(finalized).toEqual(ok({ jobId: job, imported: 1, failed: 1 }));
  expect((await items())['T-R']).toMatchObject({ status: 'failed', errorMessage: 'The family of this variant was not imported.' });
});

const shirts = 'A,Shirt Red S,,Red,S\nB,Shirt Red M,,Red,M\nC,Shirt Blue S,,Blue,S\n';
const COLUMNS = 'SKU,Name,Parent SKU,Color,Size';

test('an existing family receives the new variants', async () => {
  const catalog = await openCatalog();
  const first = await found(catalog, shirts, COLUMNS);
  expect(Object.keys(await first.items()).sort()).toEqual(['A', 'B', 'C', 'SHIRT']);
  expect(await finalize(catalog, first.job, { all: true })).toEqual(ok({ jobId: first.job, imported: 4, failed: 0 }));

  const second = await found(catalog, shirts.replaceAll(/^/gm, 'NEW-').replaceAll(/^NEW-$/gm, ''), COLUMNS);
  expect(await finalize(catalog, second.job, { all: true })).toEqual(ok({ jobId: second.job, imported: 4, failed: 0 }));
  const { products } = (await catalog.post('/products/get', { search: 'Shirt', limit: 20 })).body.data;
  const parents = products.filter(({ isParent }: { isParent: boolean }) => isParent);
  expect(parents).toMatchObject([{ sku: 'SHIRT', name: 'Shirt' }]);
  const variants = products.filter(({ parentId }: { parentId: string }) => parentId === parents[0].id);
  expect(variants.map(({ sku }: { sku: string }) => sku).sort()).toEqual(['A', 'B', 'C', 'NEW-A', 'NEW-B', 'NEW-C']);
});

test.each([
  ['that is no parent', { name: 'Shirt' }],
  ['of another name', { name: 'T-shirt', isParent: true }],
])('a product %s does not count as the family; with another SKU the import succeeds', async (_, product) => {
  const catalog = await openCatalog();
  await catalog.create({ sku: 'SHIRT', ...product });
  const { job, items } = await found(catalog, shirts, COLUMNS);
  expect(await finalize(catalog, job, { all: true })).toEqual(ok({ jobId: job, imported: 0, failed: 4 }));
  const { SHIRT } = await items();
  expect(SHIRT!.errorMessage).toBe('A product with the SKU SHIRT already exists.');

  const { updateImportItem } = await catalog.graphql(CHANGE, { id: SHIRT!.id, input: { sku: 'SHIRT-2', brand: 'Norrvik' } });
  expect(updateImportItem).toMatchObject({
    status: 'pending',
    errorMessage: null,
    data: { name: 'Shirt', sku: 'SHIRT-2', brand: 'Norrvik', category: null, variantOptions: {} },
  });
  expect(await finalize(catalog, job, { all: true })).toEqual(ok({ jobId: job, imported: 4, failed: 0 }));
  const { products } = (await catalog.post('/products/get', { search: 'SHIRT-2' })).body.data;
  expect(products).toMatchObject([{ sku: 'SHIRT-2', brand: 'Norrvik', isParent: true }]);
});

const CHANGE = `mutation ($id: ID!, $input: ImportItemChange!) {
  updateImportItem(id: $id, input: $input) { id status errorMessage data { name sku brand category manufacturer mpn variantOptions } }
}`;

test('an import item is changed by members of its organization, and only before it is imported', async () => {
  const catalog = await openCatalog();
  const { job, items } = await found(catalog, 'A,Anvil,');
  const id = (await items()).A!.id;
  const change = (by: Catalog, input: object, item = id) => by.refusal(CHANGE, { id: item, input });
  expect(await change(await openCatalog(), { sku: 'B' })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await change(catalog, { sku: 'B' }, 'no-id')).toMatchObject({ code: 'NOT_FOUND' });
  expect(await change(catalog, { sku: null, name: '' })).toMatchObject({
    code: 'INVALID_INPUT',
    message: 'sku must not be null; name must not be empty',
  });
  await finalize(catalog, job, { all: true });
  expect(await change(catalog, { sku: 'B' })).toMatchObject({ code: 'UNPROCESSABLE' });
});

/** Whether another connection waits for a lock of this one. */
async function isWaitedFor(connection: { query(text: string): Promise<{ rows: { pid: number }[] }> }): Promise<boolean> {
  const [{ pid } = { pid: 0 }] = (await connection.query('select pg_backend_pid() as pid')).rows;
  const { rows } = await database().query('select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [pid]);
  return rows.length > 0;
}
