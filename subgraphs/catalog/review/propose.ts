import { queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { AttributeValues, Provenances } from '../attributes/attribute-content.ts';
import type { JobItem } from '../jobs/entity.ts';

/** The values that an item is about to write to its product. */
export interface Proposal {
  item: JobItem;
  values: AttributeValues;
  provenance: Provenances;
}

/**
 * Records the values that items of a job are about to write, and those that they replace. A replaced value that nobody has reviewed
 * leaves the queue, so that a rejection restores the value before both. The caller holds the locks of the products.
 */
export function propose({ em, organizationId }: Scope, proposals: readonly Proposal[]) {
  const given = proposals.map(({ item: { id, productId }, values, provenance }) => ({ id, productId, values, provenance }));
  return queryPrepared(
    em,
    sql`with written as materialized (
          select g.id as item_id, p.id as product_id, p.organization_id, catalog.name_key(p.category) as category_key,
                 v.key as slug, v.value as proposed, coalesce((g.provenance -> v.key ->> 'confidence')::float8, 0) as confidence,
                 p.attributes -> v.key as base, p.provenance -> v.key as base_provenance
            from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g (id uuid, "productId" uuid, "values" jsonb, provenance jsonb)
            join catalog.products p on p.id = g."productId" and p.organization_id = ${organizationId}
           cross join lateral jsonb_each(g."values") v
        ), replaced as (
          -- Runs after the insertion, whose trigger locks the counters of all these attributes in order. The ids select an index.
          delete from catalog.proposals r
           where r.product_id = any(${given.map(({ productId }) => productId)}::uuid[]) and r.verdict is null
             and exists (select 1 from written w where w.product_id = r.product_id and w.slug = r.slug)
        )
        insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, proposed, base, base_provenance, category_key)
        select w.item_id, w.slug, w.organization_id, ${proposals[0]!.item.jobId}, w.product_id, w.confidence, w.proposed,
               case when r.slug is null then w.base else r.base end,
               case when r.slug is null then w.base_provenance else r.base_provenance end, w.category_key
          from written w
          left join lateral (
            -- A value that was changed after a job wrote it is itself restored.
            select * from catalog.proposals r
             where r.product_id = w.product_id and r.slug = w.slug and r.verdict is null and r.proposed = w.base
             order by r.item_id limit 1
          ) r on true`,
  );
}
