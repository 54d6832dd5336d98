import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { JobItem } from '../jobs/entity.ts';
import type { JobKind } from '../jobs/job-kind.ts';
import { ALL, type ExportColumns, lineSql } from './export-file.ts';

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
  process: async (_scope, job, item) => ({ item: {}, apply: (inner) => writeLines(inner, job.exportColumns ?? ALL, item) }),
};

async function writeLines({ em, organizationId }: Scope, columns: ExportColumns, { id }: JobItem): Promise<void> {
  const { attributes: slugs } = columns;
  const values =
    slugs === null
      ? sql.raw('r.attributes')
      : sql`(select coalesce(jsonb_object_agg(s, r.attributes -> s), '{}') from unnest(${slugs}::text[]) s where r.attributes ? s)`;
  await query(
    em,
    sql`with lines as materialized (
          select c.n, ${sql.raw(lineSql(columns))}::text as line, catalog.category_of(r.category) as category, catalog.filled(v.attributes) as slugs
            from catalog.product_export_pages e cross join unnest(e.product_ids) with ordinality c (id, n)
            join catalog.products r on r.id = c.id and r.organization_id = e.organization_id
            left join catalog.products p on p.id = r.parent_id and p.organization_id = r.organization_id
            cross join lateral (select ${values} as attributes) v
           where e.item_id = ${id} and e.organization_id = ${organizationId}),
        written as (
          insert into catalog.product_export_parts (item_id, place, organization_id, content)
          select ${id}, place, ${organizationId}, string_agg(line, E'\\n' order by n) || E'\\n'
            from (select n, line, ((sum(octet_length(line)) over (order by n) - octet_length(line)) / ${sql.lit(PART)})::int as place from lines) placed
           group by place)
        update catalog.product_export_pages set exported = (select count(*) from lines), product_ids = '{}',
               slugs = array(
                 select s from lines, unnest(slugs) s
                 union select a.slug from catalog.category_sets c
                   join catalog.attribute_set_attributes m using (attribute_set_id) join catalog.attributes a on a.id = m.attribute_id and a.is_active
                  where c.organization_id = ${organizationId} and c.category in (select category from lines)
                 order by 1)
         where item_id = ${id}`,
  );
}
