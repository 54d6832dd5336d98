import type { EnumValue } from '../../schema/enums.ts';
import { enrichSample } from './enrich.ts';
import { sampleProducts, sampleShops } from './sample-catalog.ts';
import type { Api } from './sample-client.ts';
import type { SeededProduct } from './seed.ts';

interface SampleJob {
  kind: EnumValue<'JobKind'>;
  /** Creates the job of a given `$input`. */
  mutation: string;
  inputType: string;
  input(products: SeededProduct[]): Record<string, unknown>;
}

const modelType = 'budget-v1';
const rowsOf = (values: keyof (typeof sampleProducts)[number] & ('brand' | 'category')) =>
  [...new Set(sampleProducts.map((product) => product[values]))].map((name) => ({ name }));
const idsOf = (products: SeededProduct[], isWanted: (sku: string) => boolean) =>
  products.filter(({ sku }) => isWanted(sku)).map(({ id }) => id);

const offered = new Set(sampleShops.flatMap(({ offers }) => offers.map(({ mpn }) => mpn)));
const offeredSkus = new Set(sampleProducts.filter(({ mpn }) => mpn && offered.has(mpn)).map(({ sku }) => sku));
/** Products with a page of their own, so that a validation has sources to read. */
const skusWithPage = new Set(sampleProducts.filter(({ page }) => page).map(({ sku }) => sku));

/** The jobs that use the values of the enrichment. */
const later: SampleJob[] = [
  {
    kind: 'brand-enrichment',
    mutation: 'createBrandEnrichmentJob',
    inputType: 'NewBrandEnrichmentJob',
    input: () => ({ rows: rowsOf('brand'), inputColumns: ['name'], modelType, useWebsearch: false }),
  },
  {
    kind: 'product-category-enrichment',
    mutation: 'createProductCategoryEnrichmentJob',
    inputType: 'NewProductCategoryEnrichmentJob',
    input: () => ({ rows: rowsOf('category'), inputColumns: ['name'], modelType, useWebsearch: false }),
  },
  {
    kind: 'product-validation',
    mutation: 'createProductValidationJob',
    inputType: 'NewProductValidationJob',
    input: (products) => ({ productIds: idsOf(products, (sku) => skusWithPage.has(sku)), modelType }),
  },
  {
    kind: 'product-market-analysis',
    mutation: 'createProductMarketAnalysisJob',
    inputType: 'NewProductMarketAnalysisJob',
    input: (products) => ({ productIds: idsOf(products, (sku) => offeredSkus.has(sku)), modelType }),
  },
];

const sampleKinds: EnumValue<'JobKind'>[] = ['product-enrichment', ...later.map(({ kind }) => kind)];

const FOLLOW = `subscription ($id: ID!, $after: Int) {
  jobProgress(id: $id, after: $after) {
    sequence items { label product { sku } errorMessage enrichedData validationResults results { source price currency } }
  }
}`;

/** Run a job of each kind over the sample, except of the kinds that it has, and print the results. */
export async function runSampleJobs(api: Api, products: SeededProduct[]): Promise<void> {
  const existing = await existingKinds(api);
  if (!existing.has('product-enrichment'))
    await enrichSample(
      api,
      products.map(({ id }) => id),
    );
  const wanted = later.filter(({ kind }) => !existing.has(kind));
  const summaries = await Promise.all(wanted.map(async (job) => summarize(job.kind, await runJob(api, job, products))));
  process.stdout.write(`\n${summaries.join('\n')}\n`);
}

async function existingKinds(api: Api): Promise<Set<string>> {
  const fields = sampleKinds.map((kind, index) => `k${index}: jobs(kind: "${kind}", limit: 1) { nodes { kind } }`);
  const found = await api.run<Record<string, { nodes: { kind: string }[] }>>(`{ ${fields.join(' ')} }`);
  return new Set(Object.values(found).flatMap(({ nodes }) => nodes.map(({ kind }) => kind)));
}

async function runJob(api: Api, { mutation, inputType, input }: SampleJob, products: SeededProduct[]): Promise<ResultItem[]> {
  const { job } = await api.run<{ job: { id: string } }>(
    `mutation ($input: ${inputType}!) { job: ${mutation}(input: $input) { id } }`,
    { input: input(products) },
  );
  const items: ResultItem[] = [];
  for await (const { jobProgress } of api.follow<{ jobProgress: { sequence: number; items: ResultItem[] } }>(FOLLOW, job.id))
    items.push(...jobProgress.items);
  return items;
}

/** An item of a sample job; only the fields of its kind have values. */
interface ResultItem {
  label: string | null;
  product: { sku: string } | null;
  errorMessage: string | null;
  enrichedData: Record<string, { value: unknown }> | null;
  validationResults: Record<string, { isValid: boolean; confidence: number }> | null;
  results: { source: string; price: number; currency: string }[];
}

const namesOf = (items: ResultItem[]) => items.map(({ label, product }) => label ?? product?.sku ?? '').join(', ');

const countValues = (items: ResultItem[]) =>
  items.flatMap(({ enrichedData }) => Object.values(enrichedData ?? {})).filter(({ value }) => value !== null).length;

function validation(items: ResultItem[]): string {
  const results = items.flatMap(({ validationResults }) => Object.values(validationResults ?? {}));
  const doubtful = results.filter(({ isValid }) => !isValid).length;
  return `${results.length} values of ${items.length} products compared with their sources, ${doubtful} of them doubtful`;
}

function market(items: ResultItem[]): string {
  const offers = items.flatMap(({ results }) => results);
  const shops = new Set(offers.map(({ source }) => source));
  const example = items.find(({ results }) => results.length > 1);
  const prices = example?.results.map(({ source, price, currency }) => `${source} ${price.toFixed(2)} ${currency}`).join(', ');
  return `${offers.length} offers of ${shops.size} shops for ${items.length} products${example ? `; ${example.product?.sku}: ${prices}` : ''}`;
}

const labels = (items: ResultItem[]) => `${countValues(items)} values for ${namesOf(items)}`;

const kinds: Partial<Record<EnumValue<'JobKind'>, [title: string, describe: (items: ResultItem[]) => string]>> = {
  'brand-enrichment': ['Brands', labels],
  'product-category-enrichment': ['Categories', labels],
  'product-validation': ['Validation', validation],
  'product-market-analysis': ['Market analysis', market],
};

/** One line about the results of a job. */
function summarize(kind: EnumValue<'JobKind'>, items: ResultItem[]): string {
  const [title, describe] = kinds[kind]!;
  const failed = items.filter(({ errorMessage }) => errorMessage);
  const reason = failed.length > 0 ? `; ${failed.length} failed: ${failed[0]!.errorMessage}` : '';
  return `  ${title.padEnd(16)}${describe(items.filter(({ errorMessage }) => !errorMessage))}${reason}`;
}
