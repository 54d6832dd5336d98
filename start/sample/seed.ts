import type { Api } from './api.ts';
import { sampleAttributeSet } from './attribute-set.ts';
import { labelAttributes } from './label-attributes.ts';
import type { SampleProduct } from './product.ts';
import { sampleProducts } from './products.ts';

/** A product of the sample in the catalog. */
export interface SeededProduct {
  id: string;
  sku: string;
}

/**
 * Create the sample catalog through the API. Existing records stay, so a second run completes an interrupted one. Returns
 * the products.
 * @param pages base URL of the sample product pages
 */
export async function seedSample(api: Api, pages: string): Promise<SeededProduct[]> {
  await seedAttributes(api);
  for (const subject of ['brand', 'category'] as const) await createAttributes(api, subject, labelAttributes[subject]);
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
  const skus = new Set(sampleProducts.map(({ sku }) => sku));
  return (await listProducts(api)).filter(({ sku }) => skus.has(sku));
}

async function seedAttributes(api: Api): Promise<void> {
  const { name, attributes } = sampleAttributeSet;
  const ids = await createAttributes(api, 'product', attributes);
  const { attributeSets } = await api.run<{ attributeSets: { name: string }[] }>('{ attributeSets { name } }');
  if (attributeSets.some((each) => each.name === name)) return;
  await api.run('mutation ($name: String!, $ids: [ID!]!) { createAttributeSet(name: $name, attributeIds: $ids) { id } }', {
    name,
    ids: attributes.map(({ slug }) => ids.get(slug)),
  });
}

/** Create the missing attributes. Returns the ids of all attributes of the subject by slug. */
async function createAttributes(
  api: Api,
  subject: 'product' | 'brand' | 'category',
  wanted: typeof sampleAttributeSet.attributes,
): Promise<Map<string, string>> {
  const { attributes } = await api.run<{ attributes: { id: string; slug: string }[] }>(
    'query ($subject: AttributeSubject!) { attributes(subject: $subject) { id slug } }',
    { subject },
  );
  const ids = new Map(attributes.map(({ slug, id }) => [slug, id]));
  for (const attribute of wanted) {
    if (ids.has(attribute.slug)) continue;
    const mutation = 'mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }';
    const { createAttribute } = await api.run<{ createAttribute: { id: string } }>(mutation, { input: { subject, ...attribute } });
    ids.set(attribute.slug, createAttribute.id);
  }
  return ids;
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

async function listProducts(api: Api): Promise<SeededProduct[]> {
  const { products } = await api.run<{ products: { nodes: SeededProduct[] } }>(
    '{ products(limit: 100, sortBy: sku, sortOrder: asc) { nodes { id sku } } }',
  );
  return products.nodes;
}
