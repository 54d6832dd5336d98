import { type Caller, caller } from './client.ts';
import { database, seedOrganization } from './seed.ts';
import { readUntil } from './until.ts';

type Input = Record<string, unknown>;

export interface Job {
  id: string;
  status: string;
  totalCount: number;
  processedCount: number;
  successCount: number;
  failedCount: number;
  errorSummary: string | null;
  sequence: number;
}

export const color = { slug: 'color', name: 'Color', type: 'text' };
export const weight = { slug: 'weight', name: 'Weight', type: 'number', unit: 'kg' };

const JOB = 'id status totalCount processedCount successCount failedCount errorSummary sequence';
const PROVENANCE = 'provenance { slug jobId itemId model confidence sourceKind sourceUrl snippet contentHash at }';
const ITEM = `id ordinal productId status errorMessage enrichedData ${PROVENANCE} cost startedAt completedAt`;
const ENDED = ['completed', 'completed_with_errors', 'failed', 'stopped'];

/** The entry of a `provenance` list for one attribute. */
export const originOf = (provenance: { slug: string }[], slug: string) => provenance.find((each) => each.slug === slug);

interface Where {
  modules?: string[];
  credits?: number;
  url?: string;
  databaseUrl?: string;
}

/** An organization with attributes, and operations for job tests. */
export async function seedCatalog(attributes: Input[] = [color], { credits, modules, url, databaseUrl }: Where = {}) {
  const organization = await seedOrganization({ credits, modules, databaseUrl });
  const api = caller(organization.key, { url });
  const attributeIds: Record<string, string> = {};
  for (const input of attributes) {
    const made = await api.graphql('mutation ($input: NewAttribute!) { createAttribute(input: $input) { id slug } }', { input });
    attributeIds[made.createAttribute.slug] = made.createAttribute.id;
  }
  return {
    ...organization,
    api,
    attributeIds,
    ...productsThrough(api),
    ...jobsThrough(api),
    ...ledgerOf(organization.id, databaseUrl),
  };
}

/** Products that one mutation creates. */
const BATCH = 500;

function productsThrough(api: Caller) {
  let made = 0;
  /** Create products and return their ids in order. SKU and name are generated if absent. */
  const addProducts = async (products: Input[]): Promise<string[]> => {
    const named = products.map((product) => ({ sku: `P${++made}`, name: `Product ${made}`, ...product }));
    const query = 'mutation ($products: [NewProduct!]!) { createProducts(products: $products) { ids } }';
    const ids: string[] = [];
    for (let first = 0; first < named.length; first += BATCH)
      ids.push(...(await api.graphql(query, { products: named.slice(first, first + BATCH) })).createProducts.ids);
    return ids;
  };
  return {
    addProducts,
    /** Products with a color in their text, so that each can be enriched; `directive` controls the provider. */
    addColored: (count: number, directive = '') =>
      addProducts(Array.from({ length: count }, () => ({ userProvidedRawDataSources: [`Color: red\n${directive}`] }))),
    product: async (id: string, fields = `attributes ${PROVENANCE} enriched`) =>
      (await api.graphql(`query ($id: ID!) { product(id: $id) { ${fields} } }`, { id })).product,
  };
}

function jobsThrough(api: Caller) {
  const start = async (productIds: string[], options: Input = {}): Promise<string> => {
    const query = 'mutation ($input: NewProductEnrichmentJob!) { createProductEnrichmentJob(input: $input) { id } }';
    const input = { productIds, modelType: 'budget-v1', websearch: false, ...options };
    return (await api.graphql(query, { input })).createProductEnrichmentJob.id;
  };
  const stop = (id: string) => api.graphql('mutation ($id: ID!) { stopJob(id: $id) { status } }', { id });
  const job = async (id: string): Promise<Job> => (await api.graphql(`query ($id: ID!) { job(id: $id) { ${JOB} } }`, { id })).job;
  const items = async (jobId: string, page = 1) => {
    const query = `query ($jobId: ID!, $page: Int!) { jobItems(jobId: $jobId, page: $page, limit: 100) { nodes { ${ITEM} } } }`;
    return (await api.graphql(query, { jobId, page })).jobItems.nodes;
  };
  /** Wait until the job matches the predicate. Fails after a timeout. */
  const jobWhen = (id: string, wanted: (job: Job) => boolean, patience?: number): Promise<Job> =>
    readUntil(() => job(id), wanted, patience);
  /** Wait until the job has finished and no item is running. */
  const end = (id: string, patience?: number) =>
    jobWhen(id, ({ status, processedCount, totalCount }) => ENDED.includes(status) && processedCount === totalCount, patience);
  /** Enrich products and return the finished job with its first hundred items. */
  const enrich = async (productIds: string[], options?: Input) => {
    const ended = await end(await start(productIds, options));
    return { job: ended, items: await items(ended.id) };
  };
  return { start, stop, job, items, jobWhen, end, enrich };
}

function ledgerOf(organizationId: string, databaseUrl?: string) {
  const rows = async (statement: string, value: string) => (await database(databaseUrl).query(statement, [value])).rows;
  return {
    balance: async () =>
      Number((await rows('select credits from identity.organizations where id = $1', organizationId))[0].credits),
    /** Ledger entries, oldest first: `item:<id>` for charges, `refund:item:<id>` for refunds. */
    ledger: async () => {
      const entries = await rows(
        'select reference, amount from identity.credit_entries where organization_id = $1 order by id',
        organizationId,
      );
      return entries.map(({ reference, amount }) => ({ reference: reference as string, amount: Number(amount) }));
    },
    /** Database counts of the rows that a job wrote. */
    trace: async (jobId: string): Promise<Trace> => (await rows(TRACE, jobId))[0],
  };
}

type Trace = Record<'items' | 'ended' | 'history' | 'charges' | 'refunds' | 'shown' | 'shownOnce', number>;
const TRACE = `
  with items as (select id, status from catalog.job_items where job_id = $1),
       shown as (select unnest(item_ids) as id from catalog.job_changes where job_id = $1),
       entries as (select reference from identity.credit_entries where right(reference, 36) in (select id::text from items))
  select (select count(*)::int from items) as items,
         (select count(*)::int from items where status in ('completed', 'failed')) as ended,
         (select count(*)::int from catalog.enrichment_history where job_item_id in (select id from items)) as history,
         (select count(*)::int from entries where reference like 'item:%') as charges,
         (select count(*)::int from entries where reference like 'refund:%') as refunds,
         (select count(*)::int from shown) as shown, (select count(distinct id)::int from shown) as "shownOnce"`;
