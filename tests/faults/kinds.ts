import { randomUUID } from 'node:crypto';
import type { EnumValue } from '../../schema/enums.ts';
import { openSearch, openShops } from '../market/shops.ts';
import { color, seedCatalog } from '../support/enrichment.ts';
import { sendFiles } from '../support/form.ts';
import { csv } from '../uploads/files.ts';

const CREDITS = 1_000;
type Input = Record<string, unknown>;

/** An organization in the system at this address. */
export const openCatalog = async (url: string, databaseUrl: string, attributes?: Input[], credits = CREDITS) => ({
  ...(await seedCatalog(attributes, { credits, url, databaseUrl })),
  credits,
  url,
});
export type Catalog = Awaited<ReturnType<typeof openCatalog>>;

/** How fault tests create jobs of one kind, and the expected rows per item. */
export interface Sample {
  kind: EnumValue<'JobKind'>;
  /** Concurrent items of one job. */
  width: number;
  /** Credits of an item by `budget-v1`. */
  price: number;
  attributes: Input[];
  /** Start a job of this many items, each with `directive` for the provider. */
  start(catalog: Catalog, count: number, directive: string): Promise<string>;
  /** SQL that counts the rows of a job (`$1`), total and distinct. */
  written: string;
  /** Rows per item. */
  each: number;
  /** Webhook events of a job that is not stopped. */
  events: string[];
}

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const ITEMS = 'select id from catalog.job_items where job_id = $1';
const history = (table: string) =>
  `select count(*)::int as rows, count(distinct job_item_id)::int as different from catalog.${table} where job_item_id in (${ITEMS})`;
const ROWS_OF_A_PAGE = 50;

async function create({ api, slug }: Catalog, path: string, body: Input): Promise<string> {
  const answer = await api.post(`/api/${slug}${path}/create`, { modelType: 'budget-v1', ...body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.jobId;
}

const red = { attributeId: null, attributeName: 'Color', attributeType: 'text', value: 'red' };

/** Brands and categories, each with one product. Each job has others, because the directives of all products of a label are read. */
const label = (kind: EnumValue<'JobKind'>, path: string, field: 'brand' | 'category', table: string): Sample => ({
  kind,
  width: 5,
  price: 1,
  attributes: [{ ...color, subject: field }],
  async start(catalog, count, directive) {
    const job = randomUUID().slice(0, 8);
    const names = many(count, (at) => `Label ${at} of ${job}`);
    await catalog.addProducts(names.map((name) => ({ [field]: name, userProvidedRawDataSources: [`Color: red\n${directive}`] })));
    return create(catalog, path, { rows: names.map((name) => ({ name })), inputColumns: ['name'] });
  },
  written: `select count(*)::int as rows, count(distinct l.slug)::int as different from catalog.${table} l
             join catalog.jobs j on j.organization_id = l.organization_id where j.id = $1`,
  each: 1,
  events: [],
});

const mpnOf = (at: number) => `LMP-${100 + at}`;

/** A shop with the analyzed products, and a search engine for its pages. */
export async function openMarketplace() {
  const page = (at: number) => `<h1>Torvik lamp ${mpnOf(at)}</h1><p>Price: €129.90</p><p>In stock</p>`;
  const shops = await openShops(Object.fromEntries(many(200, (at) => [`/${mpnOf(at)}`, page(at)])));
  const found = (terms: string) => /LMP-\d+/.exec(terms)?.[0] ?? 'nothing';
  return openSearch((terms) => [{ url: shops.link(`/${found(terms)}`), title: 'A shop' }]);
}

export const samples: Sample[] = [
  {
    kind: 'product-enrichment',
    width: 20,
    price: 1,
    attributes: [color],
    start: async (catalog, count, directive) => catalog.start(await catalog.addColored(count, directive)),
    written: history('enrichment_history'),
    each: 1,
    events: ['product_enrichment.completed', 'product_enrichment.start'],
  },
  {
    kind: 'product-validation',
    width: 20,
    price: 1,
    attributes: [color],
    async start(catalog, count, directive) {
      const sources = { userProvidedRawDataSources: [`Color: red\n${directive}`], attributes: { color: red } };
      const productIds = await catalog.addProducts(many(count, () => sources));
      return create(catalog, '/product-validation-jobs', { productIds, websearch: false });
    },
    written: history('validation_history'),
    each: 1,
    events: ['product_validation.completed', 'product_validation.start'],
  },
  {
    kind: 'product-market-analysis',
    width: 10,
    price: 2,
    attributes: [],
    async start(catalog, count, directive) {
      const lamp = (at: number) => ({ name: 'Torvik lamp', brand: 'Torvik', mpn: mpnOf(at), manufacturer: directive });
      const productIds = await catalog.addProducts(many(count, lamp));
      return create(catalog, '/product-market-analysis-jobs', { productIds });
    },
    written: `select count(*)::int as rows, count(distinct i.id)::int as different
                from catalog.job_items i cross join jsonb_array_elements(i.results::jsonb) where i.job_id = $1`,
    each: 1,
    events: ['product_market_analysis.completed', 'product_market_analysis.start'],
  },
  {
    kind: 'ai-import',
    width: 10,
    price: 1,
    attributes: [],
    async start(catalog, count, directive) {
      const rows = many(count * ROWS_OF_A_PAGE, (at) => `S-${at},Thing ${at}`);
      const fields = { modelType: 'budget-v1', prompt: `Every product there is ${directive}` };
      const answer = await sendFiles(catalog, '/ai-import-jobs/create', [csv(`SKU,Name\n${rows.join('\n')}`)], { fields });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body.data.jobId;
    },
    written: `select j.total_extracted as rows, count(distinct i.sku)::int as different
                from catalog.import_items i join catalog.jobs j on j.id = i.job_id where j.id = $1 group by j.id`,
    each: ROWS_OF_A_PAGE,
    events: ['ai_import.start'],
  },
  label('brand-enrichment', '/brand-enrichment-jobs', 'brand', 'brands'),
  label('product-category-enrichment', '/product-category-jobs', 'category', 'categories'),
];
