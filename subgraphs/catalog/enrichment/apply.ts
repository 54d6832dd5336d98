import { clock } from '../../common/clock.ts';
import { query, sql } from '../../common/database.ts';
import { cleanOrStripHtml } from '../../common/html.ts';
import type { Scope } from '../../common/scope.ts';
import { isTooLarge, MAX_BYTES } from '../attributes/size.ts';
import { type AttributeValues, type Provenances } from '../attributes/values.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/failure.ts';
import type { JobItem } from '../jobs/item-entity.ts';
import type { Outcome } from '../jobs/kind.ts';
import type { Product } from '../products/entity.ts';
import { propose } from '../review/propose.ts';
import { storeSources } from './evidence.ts';
import type { Extraction } from './extraction.ts';
import { writableValues } from './overwrite.ts';

const TOO_LARGE = `The product would have more than ${MAX_BYTES} bytes of attribute values`;

/**
 * Turns an extraction into the outcome of an item. Applying it merges the values into the product and writes its history. Throws
 * `ItemFailure` if the values of the product would become too large.
 */
export function applyEnrichment({ job, item, product }: { job: Job; item: JobItem; product: Product }, found: Extraction): Outcome {
  const { enrichedData, provenance } = valuesOf(job, item, found);
  const written = newValues(enrichedData, provenance);
  if (isTooLarge({ ...product.attributes, ...written })) throw new ItemFailure(TOO_LARGE);
  return {
    item: { enrichedData, provenance, exampleIds: found.exampleIds ?? null },
    async apply(scope) {
      const allowed = await writableValues(scope, job, product.id, { values: written, provenance });
      const origins = pick(provenance, allowed);
      await propose(scope, item, allowed, origins);
      await storeSources(scope, item, found.sources ?? []);
      await mergeIntoProduct(scope, product.id, allowed, origins);
      const refused = Object.keys(written).filter((slug) => !Object.hasOwn(allowed, slug));
      await writeHistory(scope, product.id, item.id, without(enrichedData, refused), origins);
      await storeImages(scope, product.id, found.images);
    },
  };
}

/** The extracted values and their provenance, by attribute slug. */
export function valuesOf(job: Job, item: JobItem, { model, values }: Extraction) {
  const at = clock.now().toISOString();
  const enrichedData: AttributeValues = {};
  const provenance: Provenances = {};
  for (const { attribute, type, value: found, origin, unchanged } of values) {
    // Values of variants may become HTML of the parent without having been sanitized.
    const value = type === 'html' && typeof found === 'string' ? cleanOrStripHtml(found) : found;
    enrichedData[attribute.slug] = { attributeId: attribute.id, attributeName: attribute.name, attributeType: type, value };
    if (value !== null && !unchanged) provenance[attribute.slug] = { jobId: job.id, itemId: item.id, model, ...origin, at };
  }
  return { enrichedData, provenance };
}

/** Drops missing values, which must not erase existing ones, and unchanged values, which may have changed since. */
const newValues = (values: AttributeValues, provenance: Provenances): AttributeValues =>
  Object.fromEntries(Object.entries(values).filter(([slug]) => Object.hasOwn(provenance, slug)));

const pick = (provenance: Provenances, values: AttributeValues): Provenances =>
  Object.fromEntries(Object.entries(provenance).filter(([slug]) => Object.hasOwn(values, slug)));
const without = (values: AttributeValues, slugs: readonly string[]): AttributeValues =>
  Object.fromEntries(Object.entries(values).filter(([slug]) => !slugs.includes(slug)));

const mergeIntoProduct = ({ em, organizationId }: Scope, id: string, values: AttributeValues, provenance: Provenances) =>
  query(
    em,
    sql`update catalog.products set attributes = attributes || ${JSON.stringify(values)}::jsonb,
               provenance = provenance || ${JSON.stringify(provenance)}::jsonb, enriched = true, updated_at = now()
         where id = ${id} and organization_id = ${organizationId}`,
  );

const writeHistory = (
  { em, organizationId }: Scope,
  productId: string,
  itemId: string,
  values: AttributeValues,
  provenance: Provenances,
) =>
  query(
    em,
    sql`insert into catalog.enrichment_history (id, organization_id, product_id, job_item_id, attributes, provenance)
        values (gen_random_uuid(), ${organizationId}, ${productId}, ${itemId}, ${JSON.stringify(values)}::jsonb, ${JSON.stringify(provenance)}::jsonb)`,
  );

/** Stores the URL and metadata of images, not their bytes. */
export async function storeImages({ em, organizationId }: Scope, productId: string, images: Extraction['images']): Promise<void> {
  for (const { url, sourceUrl, alt, mime, bytes, contentHash } of images) {
    await query(
      em,
      sql`insert into catalog.product_images (id, organization_id, product_id, url, source_url, alt, mime, bytes, content_hash)
          select gen_random_uuid(), organization_id, id, ${url}, ${sourceUrl}, ${alt}, ${mime}, ${bytes}::int, ${contentHash}
            from catalog.products where id = ${productId} and organization_id = ${organizationId}
          on conflict (product_id, content_hash) do nothing`,
    );
  }
}
