import { queryPrepared, sql } from '../../common/database/database.ts';
import type { Scope } from '../../common/scope.ts';
import type { AttributeValues, Provenances } from '../attributes/values.ts';
import type { JobItem } from '../jobs/item-entity.ts';

/** The values that an item is about to write to its product. */
export interface Proposal {
  item: JobItem;
  values: AttributeValues;
  provenance: Provenances;
}

/** Records the values that items of a job are about to write, and those that they replace. The caller holds the locks of the products. */
export function propose({ em, organizationId }: Scope, proposals: readonly Proposal[]) {
  const given = proposals.map(({ item: { id, productId }, values, provenance }) => ({ id, productId, values, provenance }));
  return queryPrepared(
    em,
    sql`insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, proposed, base, base_provenance, category_key)
        select g.id, v.key, p.organization_id, ${proposals[0]!.item.jobId}, p.id,
               coalesce((g.provenance -> v.key ->> 'confidence')::float8, 0), v.value, p.attributes -> v.key, p.provenance -> v.key,
               catalog.name_key(p.category)
          from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g (id uuid, "productId" uuid, "values" jsonb, provenance jsonb)
          join catalog.products p on p.id = g."productId" and p.organization_id = ${organizationId}
         cross join lateral jsonb_each(g."values") v`,
  );
}
