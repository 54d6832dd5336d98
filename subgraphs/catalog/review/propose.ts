import { query, sql } from '../../common/database.ts';
import type { Scope } from '../../common/scope.ts';
import type { AttributeValues, Provenances } from '../attributes/values.ts';
import type { JobItem } from '../jobs/item-entity.ts';

/** Records the values that an item is about to write and those it replaces. Locks the product until the commit. */
export const propose = ({ em, organizationId }: Scope, item: JobItem, values: AttributeValues, provenance: Provenances) =>
  query(
    em,
    sql`insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, proposed, base, base_provenance, category_key)
        select ${item.id}, key, p.organization_id, ${item.jobId}, p.id,
               coalesce((${JSON.stringify(provenance)}::jsonb -> key ->> 'confidence')::float8, 0), value, p.attributes -> key, p.provenance -> key,
               catalog.name_key(p.category)
          from catalog.products p, jsonb_each(${JSON.stringify(values)}::jsonb)
         where p.id = ${item.productId} and p.organization_id = ${organizationId} for update of p`,
  );
