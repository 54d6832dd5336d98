import { queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { AttributeValues, Provenances } from '../attributes/values.ts';
import type { JobItem } from '../jobs/item-entity.ts';
import { type Proposal, propose } from '../review/propose.ts';
import { storeTexts } from './evidence.ts';
import type { Extraction } from './extraction.ts';
import { type Candidate, writableValues } from './overwrite.ts';
import type { ReadSource } from './sources.ts';
import { storeImages } from './stored-images.ts';

/** The result of an item for its product. */
interface Enrichment extends Candidate {
  /** All values that the item reports. */
  found: AttributeValues;
  sources: readonly ReadSource[];
  images: Extraction['images'];
}

/** Merges the values of items into their products, and writes their proposals, sources and histories. */
export async function writeEnrichments(scope: Scope, enrichments: readonly Enrichment[]): Promise<void> {
  const allowed = await writableValues(scope, enrichments);
  const writes = enrichments.map((each, at): Write => {
    const values = allowed[at]!;
    const isKept = (slug: string) => Object.hasOwn(values, slug);
    const isRefused = (slug: string) => Object.hasOwn(each.values, slug) && !isKept(slug);
    const provenance = pick(each.provenance, isKept);
    return { item: each.item, values, provenance, history: pick(each.found, (slug) => !isRefused(slug)), sources: each.sources };
  });
  await propose(scope, writes);
  await storeTexts(
    scope,
    enrichments.flatMap(({ sources }) => sources),
  );
  await writeValues(scope, writes);
  for (const { item, images } of enrichments) await storeImages(scope, item.productId!, images);
}

const pick = <V>(values: Record<string, V>, isKept: (slug: string) => boolean): Record<string, V> =>
  Object.fromEntries(Object.entries(values).filter(([slug]) => isKept(slug)));

interface Write extends Proposal {
  item: JobItem;
  history: AttributeValues;
  provenance: Provenances;
  sources: readonly ReadSource[];
}

function writeValues({ em, organizationId }: Scope, writes: readonly Write[]) {
  const given = writes.map(({ item: { id, productId }, values, provenance, history, sources }) => ({
    ...{ id, productId, values, provenance, history },
    sources: sources.map(({ kind, url, title, contentHash }) => ({ kind, url, title, hash: contentHash })),
  }));
  return queryPrepared(
    em,
    sql`with given as materialized (
          select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
            as g (id uuid, "productId" uuid, "values" jsonb, provenance jsonb, history jsonb, sources jsonb)
        ), merged as (
          update catalog.products p set attributes = p.attributes || g."values", provenance = p.provenance || g.provenance,
                 enriched = true, updated_at = now()
            from given g where p.id = g."productId" and p.organization_id = ${organizationId}
        ), sourced as (
          insert into catalog.item_sources (item_id, place, organization_id, job_id, product_id, kind, url, title, hash)
          select g.id, s.place, ${organizationId}, ${writes[0]!.item.jobId}, g."productId", s.kind, s.url, s.title, s.hash
            from given g, rows from (jsonb_to_recordset(g.sources) as (kind text, url text, title text, hash text))
              with ordinality as s (kind, url, title, hash, place)
        )
        insert into catalog.enrichment_history (id, organization_id, product_id, job_item_id, attributes, provenance)
        select gen_random_uuid(), ${organizationId}, g."productId", g.id, g.history, g.provenance from given g`,
  );
}
