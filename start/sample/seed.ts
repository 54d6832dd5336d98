import type { Api } from './api.ts';
import { sampleAttributeSet } from './attribute-set.ts';
import type { SampleProduct } from './product.ts';
import { sampleProducts } from './products.ts';

interface Known {
  id: string;
  sku: string;
  isParent: boolean;
}

/**
 * Create the sample catalog through the API. Existing records stay, so a second run completes an interrupted one. Returns the ids
 * of all sample products.
 * @param pages base URL of the sample product pages
 */
export async function seedSample(api: Api, pages: string): Promise<string[]> {
  await seedAttributes(api);
  await createMissing(
    api,
    sampleProducts.filter(({ isParent }) => isParent),
    pages,
  );
  await createMissing(
    api,
    sampleProducts.filter(({ isParent }) => !isParent),
    pages,
  );
  return (await listProducts(api)).map(({ id }) => id);
}

async function seedAttributes(api: Api): Promise<void> {
  const { attributes, attributeSets } = await api.run<{
    attributes: { id: string; slug: string }[];
    attributeSets: { name: string }[];
  }>('{ attributes { id slug } attributeSets { name } }');
  const ids = new Map(attributes.map(({ slug, id }) => [slug, id]));
  for (const { slug, ...attribute } of sampleAttributeSet.attributes) {
    if (ids.has(slug)) continue;
    const mutation = 'mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }';
    const { createAttribute } = await api.run<{ createAttribute: { id: string } }>(mutation, { input: { slug, ...attribute } });
    ids.set(slug, createAttribute.id);
  }
  if (attributeSets.some(({ name }) => name === sampleAttributeSet.name)) return;
  await api.run('mutation ($name: String!, $ids: [ID!]!) { createAttributeSet(name: $name, attributeIds: $ids) { id } }', {
    name: sampleAttributeSet.name,
    ids: sampleAttributeSet.attributes.map(({ slug }) => ids.get(slug)),
  });
}

async function createMissing(api: Api, wanted: readonly SampleProduct[], pages: string): Promise<void> {
  const ids = new Map((await listProducts(api)).map(({ sku, id }) => [sku, id]));
  const products = wanted
    .filter(({ sku }) => !ids.has(sku))
    .map(({ parentSku, page, userProvidedRawDataSources, ...product }) => ({
      ...product,
      parentId: parentSku ? ids.get(parentSku) : null,
      userProvidedRawDataSources: [...userProvidedRawDataSources, ...(page ? [`${pages}/${page}.html`] : [])],
    }));
  if (products.length > 0)
    await api.run('mutation ($products: [NewProduct!]!) { createProducts(products: $products) { created } }', { products });
}

async function listProducts(api: Api): Promise<Known[]> {
  const { products } = await api.run<{ products: { nodes: Known[] } }>(
    '{ products(limit: 100, sortBy: sku, sortOrder: asc) { nodes { id sku isParent } } }',
  );
  return products.nodes;
}
