import { Migration } from '@mikro-orm/migrations';

/** The ids of a transition table. As an array they select an index, also when the plan was made for a statement of many rows. */
const idsOf = (rows: string) => `any(array(select id from ${rows}))`;

const addExamples = (ids: string) => `
  with added as (
    insert into catalog.examples (product_id, organization_id, category_key, buckets)
    select p.id, p.organization_id, catalog.category_key(p.category), catalog.example_buckets(p)
      from catalog.products p where p.id = ${ids} and not p.is_parent and catalog.has_accepted(p.attributes, p.provenance)
    on conflict do nothing returning product_id, buckets)
  insert into catalog.example_terms (bucket, product_id) select bucket, product_id from added, unnest(buckets) as bucket`;

const removeExamples = (ids: string) => `
  with removed as (delete from catalog.examples where product_id = ${ids} returning product_id, buckets)
  delete from catalog.example_terms t using (select product_id, unnest(buckets) as bucket from removed) r
   where t.bucket = r.bucket and t.product_id = r.product_id`;

const trigger = (name: string, body: string, declaration = '') => `
  create or replace function catalog.${name}() returns trigger language plpgsql as $$ ${declaration} begin ${body}; return null; end $$;`;

/** Each row is found by its key. A join would take quadratic time for many rows, after its plan was made for one. */
const forEachGone = (name: string, gone: string, update: string) =>
  trigger(name, `for gone in ${gone} loop ${update}; end loop`, 'declare gone record;');

/**
 * A connection keeps the plan of a statement of a trigger, and its first rows decide it. After a change of thousands of products, the next
 * change of one product would read all examples and labels.
 */
export class PlansOfTriggers extends Migration {
  override up(): void {
    this.addSql(`
      ${trigger('add_examples', addExamples(idsOf('after_rows')))}
      ${trigger('remove_examples', removeExamples(idsOf('before_rows')))}
      ${forEachGone(
        'count_deleted_products',
        'select organization_id, is_parent, enriched, count(*) as n from before_rows group by 1, 2, 3 order by 1, 2, 3',
        `update catalog.product_counts c set count = c.count - gone.n
          where (c.organization_id, c.is_parent, c.enriched) = (gone.organization_id, gone.is_parent, gone.enriched)`,
      )}
      ${forEachGone(
        'count_deleted_labels',
        `select organization_id, subject, catalog.name_key(name) as key, count(*) as products, count(*) filter (where enriched) as enriched
           from (select organization_id, 'brand' as subject, brand as name, enriched from before_rows
                 union all select organization_id, 'category', category, enriched from before_rows) named
          where btrim(name, E' \\t\\r\\n') <> '' group by 1, 2, 3 order by 1, 2, 3`,
        `update catalog.labels l set product_count = l.product_count - gone.products, enriched_count = l.enriched_count - gone.enriched
          where (l.organization_id, l.subject, l.key) = (gone.organization_id, gone.subject, gone.key)`,
      )}
    `);
  }
}
