import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { JobItem } from '../jobs/entity.ts';
import type { JobKind } from '../jobs/job-kind.ts';

/** Bytes of a part of a file. The last of its products can exceed them. */
const PART = 500_000;

/**
 * Exports many products. An item is a page of products, whose lines the transaction that completes the item writes, so that a killed worker loses and
 * repeats nothing.
 */
export const productExport: JobKind = {
  concurrency: 2,
  prices: { 'budget-v1': { item: 0 }, 'pro-v1': { item: 0 } },
  completesRunningItems: true,
  notRepeatable: 'An export is started again from its products.',
  notRetryable: 'An export is started again from its products.',
  process: async (_scope, _job, item) => ({ item: {}, apply: (inner) => writeLines(inner, item) }),
};

const timeText = (column: string) => `to_char(r.${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A product as a line of JSON, with the names of the graph. */
const LINE = `json_build_object('id', r.id, 'sku', r.sku, 'name', r.name, 'brand', r.brand, 'category', r.category, 'manufacturer', r.manufacturer,
  'mpn', r.mpn, 'uom', r.uom, 'externalId', r.external_id, 'parentId', r.parent_id, 'parentSku', p.sku, 'parentName', p.name,
  'isParent', r.is_parent, 'archived', r.archived, 'enriched', r.enriched, 'userProvidedRawDataSources', r.user_provided_raw_data_sources,
  'attributes', r.attributes, 'createdAt', ${timeText('created_at')}, 'updatedAt', ${timeText('updated_at')})`;

async function writeLines({ em, organizationId }: Scope, { id }: JobItem): Promise<void> {
  await query(
    em,
    sql`with lines as materialized (
          select c.n, ${sql.raw(LINE)}::text as line, array(select jsonb_object_keys(r.attributes)) as slugs
            from catalog.product_export_pages e cross join unnest(e.product_ids) with ordinality c (id, n)
            join catalog.products r on r.id = c.id and r.organization_id = e.organization_id
            left join catalog.products p on p.id = r.parent_id and p.organization_id = r.organization_id
           where e.item_id = ${id} and e.organization_id = ${organizationId}),
        written as (
          insert into catalog.product_export_parts (item_id, place, organization_id, content)
          select ${id}, place, ${organizationId}, string_agg(line, E'\\n' order by n) || E'\\n'
            from (select n, line, ((sum(octet_length(line)) over (order by n) - octet_length(line)) / ${sql.lit(PART)})::int as place from lines) placed
           group by place)
        update catalog.product_export_pages set exported = (select count(*) from lines), product_ids = '{}',
               slugs = array(select distinct s from lines, unnest(slugs) s order by s)
         where item_id = ${id}`,
  );
}
