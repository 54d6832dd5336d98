import { caller } from '../support/client.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { readUntil } from '../support/until.ts';

type Input = Record<string, unknown>;

/** Parameters for brands and categories, which have the same rules. */
export const labels = [
  {
    label: 'brand',
    path: '/brands',
    jobs: '/brand-enrichment-jobs',
    sets: '/brand-attribute-sets',
    kind: 'brand-enrichment',
    itemName: 'brandName',
    total: 'totalBrands',
    files: 'brands',
    job: 'Brand enrichment job',
    nameKeys: ['name', 'brand', 'brand_name', 'brandName'],
    longestName: 128,
    mostHistory: 50,
    websearch: true,
    inProgress: 'A brand enrichment job is already in progress. Please wait for it to complete before starting a new one.',
    noProducts:
      'No products are linked to this brand. Link products via Enrich Brand on a product, or enable "Use Websearch" before enriching.',
  },
  {
    label: 'category',
    path: '/product-categories',
    jobs: '/product-category-jobs',
    sets: '/product-category-attribute-sets',
    kind: 'product-category-enrichment',
    itemName: 'categoryName',
    total: 'totalCategories',
    files: 'categories',
    job: 'Product-category enrichment job',
    nameKeys: ['name', 'category_name', 'categoryName'],
    longestName: 1_024,
    mostHistory: 100,
    websearch: false,
    inProgress:
      'A product-category enrichment job is already in progress. Please wait for it to complete before starting a new one.',
    noProducts:
      'No products are linked to this category. Link products via Enrich Category on a product, or enable "Use Websearch" before enriching.',
  },
] as const;

export type Words = (typeof labels)[number];

/** An organization, and REST operations on its brands or categories. */
export async function seedLabels(
  words: Words,
  { credits, url, databaseUrl }: { credits?: number; url?: string; databaseUrl?: string } = {},
) {
  const organization = await seedOrganization({ credits, databaseUrl });
  const api = caller(organization.key, { url });
  const base = `/api/${organization.slug}`;
  const post = (path: string, body?: unknown) => api.post(base + path, body);

  const start = (rows: Input[], options: Input = {}) => post(`${words.jobs}/create`, { rows, inputColumns: ['name'], ...options });
  const end = async (jobId: string) => {
    const read = async () => {
      const { body } = await post(`${words.jobs}/get`, { limit: 100 });
      return body.data.jobs.find((each: { id: string }) => each.id === jobId);
    };
    const isOpen = (job: Input) =>
      ['pending', 'processing'].includes(job.status as string) || Number(job.processedCount) < Number(job[words.total]);
    const job = await readUntil(read, (found) => !isOpen(found));
    return { job, items: (await post(`${words.jobs}/${jobId}/items/get`, { limit: 100 })).body.data.items };
  };

  let made = 0;
  return {
    ...organization,
    api,
    post,
    download: (jobId: string) => api.get(`${base}${words.jobs}/${jobId}/download`),
    addAttribute: async (input: Input, subject: string = words.label): Promise<string> => {
      const mutation = 'mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }';
      return (await api.graphql(mutation, { input: { subject, ...input } })).createAttribute.id;
    },
    /** Products linked to the label by its name. */
    addProducts: async (name: string, products: Input[]): Promise<string[]> => {
      const named = products.map((product) => ({
        sku: `P${++made}`,
        name: `Product ${made}`,
        [words.label]: name,
        ...product,
      }));
      const mutation = 'mutation ($products: [NewProduct!]!) { createProducts(products: $products) { ids } }';
      return (await api.graphql(mutation, { products: named })).createProducts.ids;
    },
    balance: async () => {
      const { rows } = await database(databaseUrl).query('select credits from identity.organizations where id = $1', [
        organization.id,
      ]);
      return Number(rows[0].credits);
    },
    start,
    end,
    /** Start a job, wait until it finishes, and return it with its first hundred items. */
    async enrich(rows: Input[], options?: Input) {
      const { body, status } = await start(rows, options);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return end(body.data.jobId);
    },
  };
}
