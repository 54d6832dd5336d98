import { singleProducts } from './enrichment.ts';
import { type Compared, compareJob } from './jobs.ts';
import type { Line } from './report.ts';
import type { Bench, Note, Part } from './system.ts';

const organization = 'kinds';
const ROWS_OF_A_PAGE = 50;

/** Items per second of every other job kind, compared with a plain loop of the same concurrency. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const { pool, organizations, of } = bench;
  const productIds = await singleProducts(bench, organization, of(1_000));
  // Each brand and each category has ten products.
  await pool.query(
    `update catalog.products p set brand = 'Brand ' || n / 10, category = 'Category ' || n / 10
       from (select id, row_number() over (order by id) - 1 as n from catalog.products where organization_id = $1) as numbered
      where p.id = numbered.id`,
    [organizations[organization]!.id],
  );
  const labels = (word: string) => productIds.map((_, at) => `${word} ${Math.floor(at / 10)}`).filter((_, at) => at % 2 === 0);
  const jobs: Compared[] = [
    ofProducts('validation items', 'product-validation-jobs', 'validation', 20, productIds),
    ofProducts('market analysis items', 'product-market-analysis-jobs', 'market', 10, productIds.slice(0, of(300))),
    await ofFile(bench, of(200)),
    ofLabels('brand items', 'brand-enrichment-jobs', 'brand', labels('Brand')),
    ofLabels('category items', 'product-category-jobs', 'category', labels('Category')),
  ];
  const lines: Line[] = [];
  for (const job of jobs) lines.push((await compareJob(bench, job, note)).line);
  return lines;
}

export const kinds: Part = { organizations: [organization], measure };

function ofProducts(items: string, path: string, kind: string, window: number, given: string[]): Compared {
  const body = JSON.stringify({ productIds: given, modelType: 'budget-v1' });
  return { count: given.length, items, organization, path, body, kind, window, given };
}

function ofLabels(items: string, path: string, kind: string, given: string[]): Compared {
  const rows = given.map((name) => ({ name }));
  const body = JSON.stringify({ rows, inputColumns: ['name'], modelType: 'budget-v1', useWebsearch: false });
  return { count: given.length, items, organization, path, body, kind, window: 5, given };
}

/** A table that is ingested once and read in each round, with fifty rows per item. */
async function ofFile({ url, key }: Bench, pages: number): Promise<Compared> {
  const rows = Array.from({ length: pages * ROWS_OF_A_PAGE }, (_, n) => `A-${n},Oak chair ${n},Norrvik`);
  const form = new FormData();
  form.set('files', new File([['sku,name,brand', ...rows].join('\n')], 'list.csv', { type: 'text/csv' }));
  const response = await fetch(`${url}/api/${organization}/enrichment-files/upload`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: form,
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`The file was not accepted: ${answer}`);
  const { uploadedFileIds } = JSON.parse(answer);
  const body = new FormData();
  body.set('modelType', 'budget-v1');
  for (const id of uploadedFileIds) body.append('uploadedFileIds', id);
  return {
    ...{ count: pages, items: 'import items (50 rows each)', organization, path: 'ai-import-jobs', body },
    ...{ kind: 'page', window: 10, given: uploadedFileIds },
  };
}
