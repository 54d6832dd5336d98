import { readUntil } from '../support/until.ts';
import type { Catalog } from './catalog.ts';

/** Create products and return their ids in order. */
export async function createProducts({ graphql }: Catalog, count: number, more: object = {}): Promise<string[]> {
  const create = 'mutation ($products: [NewProduct!]!) { createProducts(products: $products) { ids } }';
  const products = Array.from({ length: count }, (_, n) => ({ sku: `P${n}`, name: `Product ${n}`, ...more }));
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1_000)
    ids.push(...(await graphql(create, { products: products.slice(at, at + 1_000) })).createProducts.ids);
  return ids;
}

/** Create an enrichment job and return its id. */
export async function startJob({ post }: Catalog, productIds: string[], more: object = {}): Promise<string> {
  const { body } = await post('/product-enrichment-jobs/create', { productIds, modelType: 'budget-v1', websearch: false, ...more });
  if (!body.success) throw new Error(body.message);
  return body.data.jobId;
}

/** Wait until a job has finished. Returns its status. */
export async function ended({ graphql }: Catalog, id: string): Promise<string> {
  const read = async () => (await graphql('query ($id: ID!) { job(id: $id) { status } }', { id })).job.status as string;
  return readUntil(read, (status) => status !== 'pending' && status !== 'processing');
}

/** Create an active attribute for enrichment. */
export async function createAttribute({ graphql }: Catalog, slug = 'colour'): Promise<string> {
  const input = { name: slug[0]!.toUpperCase() + slug.slice(1), slug, type: 'text' };
  return (await graphql('mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }', { input })).createAttribute
    .id;
}
