import { randomUUID } from 'node:crypto';
import { detached } from '../../platform/scope/index.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { readEvidence } from '../../subgraphs/catalog/enrichment/sources.ts';
import type { Job, JobItem } from '../../subgraphs/catalog/jobs/entity.ts';
import type { WorkScope } from '../../subgraphs/catalog/jobs/job-kind.ts';
import { ItemMemory } from '../../subgraphs/catalog/jobs/job-kind.ts';
import { createJob, type Items } from '../../subgraphs/catalog/jobs/service.ts';
import { linkedProducts } from '../../subgraphs/catalog/labels/kind.ts';
import { productItems, productOf } from '../../subgraphs/catalog/products/job-items.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { groundingOf } from '../../subgraphs/catalog/uploads/grounding.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;
const { id: organizationId, key } = await graph.seed();
const signal = AbortSignal.timeout(60_000);

/** The scope of one item. */
const itemScope = () =>
  ({
    ...detached({ organizationId, services: graph.services }),
    memory: new ItemMemory(organizationId, signal),
    signal,
  }) as unknown as WorkScope;

/** A product, whose sources may exceed the limit of requests. */
async function storeProduct(sources: string[], brand: string | null = null): Promise<string> {
  const id = randomUUID();
  await pool.query(
    'insert into catalog.products (id, organization_id, sku, name, brand, user_provided_raw_data_sources) values ($1::uuid, $2, $1::text, $1::text, $3, $4)',
    [id, organizationId, brand, sources],
  );
  return id;
}

/** A file with these pages. */
async function storeFile(name: string, pages: object[]): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `insert into catalog.files (id, organization_id, name, mime, ready, created_by_id) values ($1, $2, $3, 'text/csv', true, $1)`,
    [id, organizationId, name],
  );
  await pool.query(
    `insert into catalog.file_pages (file_id, place, content) select $1, n - 1, page from json_array_elements($2::json) with ordinality as given (page, n)`,
    [id, JSON.stringify(pages)],
  );
  return id;
}

const page = (sku: string) => ({
  kind: 'table',
  name: 'CSV',
  columns: ['SKU', 'Type'],
  rows: [[sku, 'lamp']],
  first: 1,
  numbers: [2],
  marks: [null, null],
});
const lengthOf = (texts: readonly { text: string }[]) => texts.reduce((sum, { text }) => sum + text.length, 0);

test('an item reads the pages that mention its product, wherever they are in large files', async () => {
  const skus = (letter: string) => Array.from({ length: 300 }, (_, at) => page(`${letter}-${at}`));
  const files = [await storeFile('a.csv', skus('A')), await storeFile('b.csv', skus('B'))];
  for (const name of ['B-250', 'A-299']) {
    const texts = await groundingOf(itemScope(), files, [name, 'lamp']);
    expect(texts).toHaveLength(20);
    expect(texts[0]).toEqual({ title: `${name[0]!.toLowerCase()}.csv`, text: `SKU: ${name}\nType: lamp` });
  }
  const unmentioned = await groundingOf(itemScope(), files, ['C-1']);
  const lines = unmentioned.map(({ text }) => text.split('\n')[0]);
  expect(lines).toEqual(Array.from({ length: 20 }, (_, at) => `SKU: A-${at}`));
  const indexed = 'select count(*)::int as count from catalog.files where id = any($1) and word_buckets is not null';
  expect((await pool.query(indexed, [files])).rows).toEqual([{ count: 2 }]);
});

test('concurrent items index a file once, and files of others are not searched', async () => {
  const file = await storeFile(
    'c.csv',
    Array.from({ length: 40 }, (_, at) => page(`C-${at}`)),
  );
  const found = await Promise.all(Array.from({ length: 5 }, (_, at) => groundingOf(itemScope(), [file], [`C-3${at}`])));
  expect(found.map(([first]) => first!.text.slice(5, 9))).toEqual(['C-30', 'C-31', 'C-32', 'C-33', 'C-34']);
  const { id } = await graph.seed();
  const other = { ...itemScope(), ...detached({ organizationId: id, services: graph.services }) };
  expect(await groundingOf(other, [file], ['C-30'])).toEqual([]);
});

test('an item holds no more of the sources of a product than a request may have', async () => {
  const address = 'https://example.com/lamp';
  const id = await storeProduct(['x'.repeat(3_000_000), 'y'.repeat(200_000), address, 'Color: red']);
  const read = (await productOf(itemScope(), { productId: id } as JobItem)).userProvidedRawDataSources;
  expect(read.slice(2)).toEqual([address, 'Color: red']);
  expect(read.map((text) => text[0])).toEqual(['x', 'y', 'h', 'C']);
  expect(read.join('').length).toBeLessThanOrEqual(240_000);
});

test('a label reads its products up to a limit', async () => {
  const ids = [await storeProduct(['x'.repeat(2_000_000)], 'Acme'), await storeProduct(['Color: red'], 'Acme')];
  const linked = await linkedProducts(itemScope(), 'brand', { websearch: false } as Job, 'acme');
  expect(linked!.reference).toMatchObject({ productIds: expect.arrayContaining(ids) });
  expect(linked!.read.some(({ text }) => text.includes('Color: red'))).toBe(true);
  expect(lengthOf(linked!.read)).toBeLessThanOrEqual(120_000);
});

test('a rerun reads stored texts up to a limit', async () => {
  const [jobId, productId] = [randomUUID(), randomUUID()];
  const texts = [...Array.from({ length: 30 }, (_, at) => `${at} `.padEnd(90_000, 'x')), 'Color: red'];
  await pool.query(
    `with texts as (
       insert into catalog.source_texts (organization_id, hash, text) select $1, 'hash ' || n, t from unnest($2::text[]) with ordinality as g (t, n)
     ), job as (
       insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id)
       values ($3, $1, 'product-enrichment', 'completed', 'budget-v1', 1, $1)
     ), item as (
       insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, product_id) values ($4, $1, $3, 0, 0, $4)
     )
     insert into catalog.item_sources (item_id, organization_id, job_id, product_id, place, kind, hash)
     select $4, $1, $3, $4, n, 'text', 'hash ' || n from unnest($2::text[]) with ordinality as g (t, n)`,
    [organizationId, texts, jobId, productId],
  );
  const read = await readEvidence(itemScope(), { evidenceJobId: jobId } as Job, productId);
  expect(read!.map(({ contentHash }) => contentHash)).toEqual(texts.map((_, at) => `hash ${at + 1}`));
  expect(read!.at(-1)!.text).toBe('Color: red');
  expect(lengthOf(read!)).toBeLessThanOrEqual(120_000);
});

test('the sources of a product have a limit at the entrance', async () => {
  const create = 'mutation ($input: NewProduct!) { createProduct(input: $input) { id } }';
  const input = { sku: 'LIMIT', name: 'Lamp', userProvidedRawDataSources: ['x'.repeat(500_000), 'y'.repeat(500_000)] };
  const api = graph.caller(key);
  const more = { ...input, userProvidedRawDataSources: [...input.userProvidedRawDataSources, 'z'] };
  expect(await api.refusal(create, { input: more })).toBe(
    'INVALID_INPUT: userProvidedRawDataSources must have at most 1000000 bytes together',
  );
  await api.ask(create, { input });
});

const newJob = { kind: 'product-enrichment', modelType: 'budget-v1', createdById: organizationId } as const;

test('a product that is deleted while its job is created has an item that fails', async () => {
  const ids = [await storeProduct([]), await storeProduct([])];
  await pool.query('delete from catalog.products where id = $1', [ids[1]]);
  const scope = itemScope();
  const { id, totalCount } = await createJob(scope, newJob, productItems(ids));
  const stored = 'select product_id as "productId", id, phase from catalog.job_items where job_id = $1 order by turn';
  const { rows } = await pool.query(stored, [id]);
  expect([totalCount, rows.map(({ productId, phase }) => [productId, phase])]).toEqual([2, ids.map((each) => [each, 0])]);
  await expect(productOf(itemScope(), rows[1])).rejects.toThrow('Product not found');
});

test('a job counts the items that it has', async () => {
  const id = await storeProduct([]);
  const items: Items = { ...productItems([id]), count: 3 };
  const job = await createJob(itemScope(), newJob, items);
  const { rows } = await pool.query('select total_count as total from catalog.jobs where id = $1', [job.id]);
  expect([job.totalCount, rows]).toEqual([1, [{ total: 1 }]]);
});
