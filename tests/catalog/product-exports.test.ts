import { parse } from 'csv-parse/sync';
import { detached } from '../../platform/scope/index.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import * as engine from '../../subgraphs/catalog/jobs/engine.ts';
import { forgetExports } from '../../subgraphs/catalog/product-exports/service.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const JOB =
  'id kind status totalCount processedCount failedCount cost productExport { format products exported isAvailable expiresAt }';
const CREATE = `mutation ($selection: ProductSelection!, $format: ProductExportFormat = csv, $fields: [ProductExportField!], $attributes: [String!]) {
  createProductExportJob(selection: $selection, format: $format, fields: $fields, attributes: $attributes) { ${JOB} } }`;
const PART = 'query ($id: ID!, $after: String) { productExportFile(jobId: $id, after: $after) { name type text next } }';
const READ = `query ($id: ID!) { job(id: $id) { ${JOB} } }`;
const ALL = { filter: {} };

/** An organization whose exports run in this process. */
async function open() {
  const { id: organizationId, key } = await graph.seed();
  const { ask, refusal } = graph.caller(key);
  const scope = () => detached({ organizationId, services: graph.services });
  const runItem = (id: string) => engine.processItem({ ...scope(), signal: new AbortController().signal, model: {} } as never, id);
  const items = async (id: string) => {
    await engine.begin(scope(), id);
    return engine.openItems(scope(), id, -1, 10_000);
  };
  return {
    organizationId,
    ask,
    refusal,
    runItem,
    items,
    async run(id: string) {
      for (const item of await items(id)) await runItem(item.id);
      await engine.finish(scope(), id);
      return (await ask(READ, { id })).job;
    },
    start: async (selection: object = ALL, format = 'csv', columns: object = {}): Promise<string> =>
      (await ask(CREATE, { selection, format, ...columns })).createProductExportJob.id,
    /** The parts of a file. */
    async read(id: string) {
      const parts = [];
      for (let after: string | null = null; ; ) {
        const { productExportFile: part } = await ask(PART, { id, after });
        parts.push(part);
        after = part.next;
        if (after === null) return { ...part, text: parts.map(({ text }) => text).join(''), parts };
      }
    },
    insert: (count: number, attributes: string) =>
      pool.query(
        `insert into catalog.products (id, organization_id, sku, name, brand, attributes)
         select gen_random_uuid(), $1, 'S-' || lpad(n::text, 5, '0'), 'Lamp ' || n, 'Brand ' || n % 2, ${attributes} from generate_series(1, $2::int) n`,
        [organizationId, count],
      ),
  };
}

const cell = (slug: string, value: string) =>
  `jsonb_build_object('${slug}', jsonb_build_object('attributeType', 'text', 'value', ${value}))`;

test('a file has each selected product once, by SKU, with a column for each attribute that one of them has', async () => {
  const { start, run, read, insert, ask } = await open();
  await insert(
    1_203,
    `case when n % 2 = 0 then ${cell('color', `'red ' || n`)} when n = 1201 then ${cell('=late', `'=1+1'`)} else '{}' end`,
  );
  const id = await start();
  const job = await run(id);
  expect(job).toMatchObject({
    kind: 'product-export',
    status: 'completed',
    totalCount: 3,
    processedCount: 3,
    failedCount: 0,
    cost: 0,
  });
  expect(job.productExport).toMatchObject({ format: 'csv', products: 1_203, exported: 1_203, isAvailable: true });
  const { text, name, type } = await read(id);
  expect([name, type]).toEqual([expect.stringMatching(/^products_\d{4}-\d\d-\d\d\.csv$/), 'text/csv; charset=utf-8']);
  const [header, ...rows] = parse(text, { bom: true }) as string[][];
  expect(header!.slice(0, 2)).toEqual(['sku', 'name']);
  expect(header!.slice(-2)).toEqual([`'=late`, 'color']);
  expect(rows.map(([sku]) => sku)).toEqual(Array.from({ length: 1_203 }, (_, n) => `S-${String(n + 1).padStart(5, '0')}`));
  expect(rows[1]!.at(-1)).toBe('red 2');
  // A spreadsheet program would run it.
  expect(rows[1_200]!.at(-2)).toBe(`'=1+1`);

  const few = await start({ filter: { brand: 'brand 1' }, search: 'Lamp 12' });
  expect((await run(few)).productExport.products).toBe(7);
  const { products } = await ask('{ products(sortBy: sku, sortOrder: asc, limit: 2) { nodes { id } } }');
  const chosen = await start({ ids: products.nodes.map((each: { id: string }) => each.id) });
  await run(chosen);
  expect((parse((await read(chosen)).text, { bom: true }) as string[][]).map(([sku]) => sku)).toEqual([
    'sku',
    'S-00001',
    'S-00002',
  ]);
});

test('a file has empty columns of attributes that the categories of its products need, and none of unused attributes', async () => {
  const { start, run, read, ask, organizationId } = await open();
  const idOf = async (name: string) =>
    (
      await ask(
        'mutation ($name: String!, $slug: String!) { createAttribute(input: { subject: product, name: $name, slug: $slug, type: text }) { id } }',
        { name, slug: name.toLowerCase() },
      )
    ).createAttribute.id;
  const [width, , finish] = [await idOf('Width'), await idOf('Unused'), await idOf('Finish')];
  const set = 'mutation ($ids: [ID!]!) { createAttributeSet(name: "Benches", attributeIds: $ids) { id } }';
  const { id: attributeSetId } = (await ask(set, { ids: [width, finish] })).createAttributeSet;
  await pool.query(
    `insert into catalog.products (id, organization_id, sku, name, category, attributes)
     select gen_random_uuid(), $1::uuid, 'B', 'Bench', ' benches ', ${cell('color', `'red'`)} || ${cell('empty', 'null::text')}
     union all select gen_random_uuid(), $1::uuid, 'L', 'Lamp', 'Lamps', '{}'`,
    [organizationId],
  );
  const assign = 'mutation ($id: ID!) { setCategoryAttributeSet(category: "Benches", attributeSetId: $id) { name } }';
  await ask(assign, { id: attributeSetId });
  const columns = async (id: string) => {
    await run(id);
    const [header] = parse((await read(id)).text, { bom: true }) as string[][];
    return header!.slice(header!.indexOf('isParent') + 1);
  };
  expect(await columns(await start())).toEqual(['color', 'finish', 'width']);
  expect(await columns(await start({ filter: { category: 'Lamps' } }))).toEqual([]);
  expect(await columns(await start(ALL, 'csv', { attributes: ['width', 'color'] }))).toEqual(['width', 'color']);
});

test('lines of JSON have all fields and values of a product', async () => {
  const { start, run, read, ask } = await open();
  const NEW = 'mutation ($input: NewProduct!) { createProduct(input: $input) { id createdAt updatedAt } }';
  const create = async (input: object) => (await ask(NEW, { input })).createProduct;
  const parent = await create({ sku: 'A', name: 'Shirt', isParent: true });
  const values = {
    text: { attributeType: 'text', value: '"quoted"\n\u2028line' },
    sizes: { attributeType: 'multiselect', value: ['S', 'L'] },
  };
  const texts = {
    name: 'Red shirt',
    brand: 'Acme',
    category: 'Shirts > Red',
    manufacturer: 'M',
    mpn: '1',
    uom: 'piece',
    externalId: 'E',
  };
  const variant = await create({ sku: 'B', ...texts, parentId: parent.id, userProvidedRawDataSources: ['a'], attributes: values });
  const id = await start(ALL, 'jsonl');
  await run(id);
  const { text, name, type } = await read(id);
  expect([name.slice(-6), type]).toEqual(['.jsonl', 'application/x-ndjson; charset=utf-8']);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  expect(lines).toHaveLength(2);
  expect(lines[1]).toEqual({
    ...{ id: variant.id, sku: 'B', ...texts, parentId: parent.id, parentSku: 'A', parentName: 'Shirt', isParent: false },
    ...{
      archived: false,
      enriched: false,
      userProvidedRawDataSources: ['a'],
      createdAt: variant.createdAt,
      updatedAt: variant.updatedAt,
    },
    attributes: {
      text: expect.objectContaining({ attributeType: 'text', value: '"quoted"\n\u2028line' }),
      sizes: expect.objectContaining({ attributeType: 'multiselect', value: ['S', 'L'] }),
    },
  });
});

test('a file has only the chosen fields and attributes, and always the SKU', async () => {
  const { start, run, read, refusal, insert } = await open();
  await insert(2, `${cell('color', `'red'`)} || ${cell('size', `'L'`)}`);
  const columns = { fields: ['brand', 'parent', 'name', 'archived'], attributes: ['size', 'none', 'size'] };
  const table = await start(ALL, 'csv', columns);
  await run(table);
  expect(parse((await read(table)).text, { bom: true })).toEqual([
    ['sku', 'name', 'brand', 'parentSku', 'parentName', 'isParent', 'archived', 'size', 'none'],
    ['S-00001', 'Lamp 1', 'Brand 1', '', '', 'false', 'false', 'L', ''],
    ['S-00002', 'Lamp 2', 'Brand 0', '', '', 'false', 'false', 'L', ''],
  ]);
  const lines = await start(ALL, 'jsonl', { fields: ['brand'], attributes: [] });
  await run(lines);
  const [line] = (await read(lines)).text.split('\n');
  expect(JSON.parse(line!)).toEqual({ id: expect.any(String), sku: 'S-00001', brand: 'Brand 1', attributes: {} });
  expect(await refusal(CREATE, { selection: ALL, attributes: ['x'.repeat(129)] })).toMatch(/^INVALID_INPUT/);
});

test('large products are divided into parts, and a page that several workers write is in the file once', async () => {
  const { start, items, runItem, run, read, insert } = await open();
  await insert(12, cell('text', `repeat(n::text || ',', 60000)`));
  const id = await start(ALL, 'jsonl');
  const [item] = await items(id);
  await Promise.all([runItem(item!.id), runItem(item!.id), runItem(item!.id)]);
  expect((await run(id)).productExport).toMatchObject({ products: 12, exported: 12 });
  const { text, parts } = await read(id);
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line: string) => JSON.parse(line).sku),
  ).toEqual(Array.from({ length: 12 }, (_, n) => `S-${String(n + 1).padStart(5, '0')}`));
  expect(parts.length).toBeGreaterThan(3);
  for (const part of parts) expect(part.text.length).toBeLessThan(800_000);
});

test('a file is available when its job has completed, to its organization, for 7 days', async () => {
  const { organizationId, start, run, read, items, runItem, insert, ask, refusal } = await open();
  await insert(600, `'{}'`);
  const id = await start();
  expect(await refusal(PART, { id })).toBe('UNPROCESSABLE: The export has not completed.');
  const [first] = await items(id);
  await runItem(first!.id);
  // A product that is deleted before its turn is not in the file.
  await pool.query(`delete from catalog.products where organization_id = $1 and sku = 'S-00600'`, [organizationId]);
  expect((await run(id)).productExport).toMatchObject({ products: 600, exported: 599, isAvailable: true });
  expect(await refusal(PART, { id, after: 'x' })).toMatch(/^INVALID_INPUT/);
  const stranger = await open();
  expect(await stranger.refusal(PART, { id })).toBe('NOT_FOUND: Job not found');

  const stopped = await start();
  const [written] = await items(stopped);
  await runItem(written!.id);
  await ask('mutation ($id: ID!) { stopJob(id: $id) { status } }', { id: stopped });
  expect((await run(stopped)).status).toBe('stopped');
  expect(await refusal(PART, { id: stopped })).toBe('UNPROCESSABLE: The export has not completed.');
  const storedOf = async (job: string) =>
    (
      await pool.query(
        `select count(p)::int as parts, sum(cardinality(e.product_ids))::int as ids
           from catalog.product_export_pages e left join catalog.product_export_parts p using (item_id) where e.job_id = $1`,
        [job],
      )
    ).rows[0];
  expect(await storedOf(stopped)).toEqual({ parts: 1, ids: 99 });
  await forgetExports(pool);
  // Nobody can download what a stopped job has written.
  expect(await storedOf(stopped)).toEqual({ parts: 0, ids: 0 });

  const size = async () =>
    (
      await pool.query(
        `select coalesce(sum(bytes), 0)::int as bytes from identity.stored_bytes where organization_id = $1 and list like '%export%'`,
        [organizationId],
      )
    ).rows[0].bytes;
  expect(await size()).toBeGreaterThan((await read(id)).text.length);
  const age = async (days: number) => {
    for (const table of ['product_export_parts', 'product_export_pages'])
      await pool.query(`update catalog.${table} set created_at = now() - $2 * interval '1 day' where organization_id = $1`, [
        organizationId,
        days,
      ]);
  };
  await age(8);
  await forgetExports(pool);
  // The job has ended today.
  expect((await read(id)).text.match(/S-/g)).toHaveLength(599);
  await pool.query(`update catalog.jobs set completed_at = now() - interval '8 days' where organization_id = $1`, [organizationId]);
  expect(await refusal(PART, { id })).toBe('UNPROCESSABLE: The file was deleted after 7 days.');
  expect(await forgetExports(pool)).toBeGreaterThan(0);
  expect(await size()).toBeLessThan(1_000);
  expect((await ask(READ, { id })).job.productExport).toMatchObject({ products: 600, exported: 599, isAvailable: false });
});

test('an export needs products, few are open at once, and the storage quota refuses a file', async () => {
  const { organizationId, start, run, refusal, insert, ask } = await open();
  expect(await refusal(CREATE, { selection: ALL })).toBe('UNPROCESSABLE: No product is selected.');
  expect(await refusal(CREATE, { selection: {} })).toMatch(/^INVALID_INPUT/);
  await insert(3, cell('text', `repeat('x', 100000)`));
  const jobs: string[] = [];
  for (let n = 0; n < 5; n += 1) jobs.push(await start());
  expect(await refusal(CREATE, { selection: ALL })).toMatch(/^CONFLICT: At most 5 exports can be open/);
  await run(jobs[0]!);
  await pool.query('update identity.organizations set storage_quota = 1 where id = $1', [organizationId]);
  const full = await run(jobs[1]!);
  expect(full).toMatchObject({ status: 'completed_with_errors', failedCount: 1, productExport: { isAvailable: false } });
  const FAULTS = 'query ($id: ID!) { job(id: $id) { errorSummary } }';
  expect((await ask(FAULTS, { id: jobs[1] })).job.errorSummary).toMatch(/[Ss]torage/);
  const RETRY = 'mutation ($id: ID!) { retryFailedItems(jobId: $id) { id } }';
  expect(await refusal(RETRY, { id: jobs[1] })).toBe('UNPROCESSABLE: An export is started again from its products.');
});
