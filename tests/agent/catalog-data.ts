import { caller } from '../support/client.ts';
import { database } from '../support/seed.ts';

/** A product with values and their evidence, as an enrichment leaves it. */
export async function addProduct(
  { slug, key }: { slug: string; key: string },
  product: { sku: string; name: string },
  values: Record<string, { value: unknown; confidence?: number; sourceUrl?: string; snippet?: string }>,
): Promise<void> {
  const attributes = Object.entries(values).map(([attribute, { value }]) => [
    attribute,
    { attributeType: typeof value === 'number' ? 'number' : 'text', attributeName: attribute, value },
  ]);
  const { status, body } = await caller(key).post(`/api/${slug}/products/create`, {
    ...product,
    attributes: Object.fromEntries(attributes),
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  const ids = { jobId: body.data.id, itemId: body.data.id, model: 'stub', contentHash: null, at: new Date().toISOString() };
  const origins = Object.entries(values)
    .filter(([, { confidence }]) => confidence !== undefined)
    .map(([attribute, { confidence, sourceUrl = null, snippet = null }]) => [
      attribute,
      { ...ids, confidence, sourceKind: sourceUrl ? 'page' : 'text', sourceUrl, snippet },
    ]);
  await database().query('update catalog.products set provenance = $2 where id = $1', [body.data.id, Object.fromEntries(origins)]);
}
