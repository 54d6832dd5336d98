import { query, sql } from '../../common/database.ts';
import { cleanHtml } from '../../common/html.ts';
import type { Scope } from '../../common/scope.ts';
import { isTooLarge, MOST_BYTES } from '../attributes/size.ts';
import { type AttributeValues, type Provenances } from '../attributes/values.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/failure.ts';
import type { JobItem } from '../jobs/item-entity.ts';
import type { Outcome } from '../jobs/kind.ts';
import type { Product } from '../products/entity.ts';
import { propose } from '../review/propose.ts';
import { keepSources } from './evidence.ts';
import type { Found } from './found.ts';

const TOO_LARGE = `The product would have more than ${MOST_BYTES} bytes of attribute values`;

/**
 * What was found as the result of the item; applying it merges the values into the product and writes its history. Throws
 * `ItemFailure` when the product would have too many values.
 */
export function applyEnrichment({ job, item, product }: { job: Job; item: JobItem; product: Product }, found: Found): Outcome {
  const { enrichedData, provenance } = valuesOf(job, item, found);
  const written = foundNow(enrichedData, provenance);
  if (isTooLarge({ ...product.attributes, ...written })) throw new ItemFailure(TOO_LARGE);
  return {
    item: { enrichedData, provenance },
    async apply(scope) {
      await propose(scope, item, written, provenance);
      await keepSources(scope, item, found.sources ?? []);
      await mergeIntoProduct(scope, product.id, written, provenance);
      await writeHistory(scope, product.id, item.id, enrichedData, provenance);
      await keepImages(scope, product.id, found.images);
    },
  };
}

/** What was found as maps by attribute slug: the values, and where each came from. */
export function valuesOf(job: Job, item: JobItem, { model, values }: Found) {
  const at = new Date().toISOString();
  const enrichedData: AttributeValues = {};
  const provenance: Provenances = {};
  for (const { attribute, type, value: found, origin, kept } of values) {
    // Values of variants become HTML of their parent, whatever type they were written with.
    const value = type === 'html' && typeof found === 'string' ? cleanHtml(found) : found;
    enrichedData[attribute.slug] = { attributeId: attribute.id, attributeName: attribute.name, attributeType: type, value };
    if (value !== null && !kept) provenance[attribute.slug] = { jobId: job.id, itemId: item.id, model, ...origin, at };
  }
  return { enrichedData, provenance };
}

/** What was not found never erases what is there, and what was there already may have changed since. */
const foundNow = (values: AttributeValues, provenance: Provenances): AttributeValues =>
  Object.fromEntries(Object.entries(values).filter(([slug]) => Object.hasOwn(provenance, slug)));

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

/** The bytes stay where they are; kept is where, what and which. */
export async function keepImages({ em, organizationId }: Scope, productId: string, images: Found['images']): Promise<void> {
  for (const { url, sourceUrl, alt, mime, bytes, contentHash } of images) {
    await query(
      em,
      sql`insert into catalog.product_images (id, organization_id, product_id, url, source_url, alt, mime, bytes, content_hash)
          select gen_random_uuid(), organization_id, id, ${url}, ${sourceUrl}, ${alt}, ${mime}, ${bytes.length}::int, ${contentHash}
            from catalog.products where id = ${productId} and organization_id = ${organizationId}
          on conflict (product_id, content_hash) do nothing`,
    );
  }
}
