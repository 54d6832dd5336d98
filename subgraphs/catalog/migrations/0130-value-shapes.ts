import { Migration } from '@mikro-orm/migrations';

/** Groups products by the set of attributes that have a value, so that those without a certain one are found. */
export class ValueShapes extends Migration {
  override up(): void {
    this.addSql(`

      -- A hash of the slugs that have a value. It counts values as catalog.value_keys does.
      create function catalog.value_shape(attributes jsonb) returns bigint language sql immutable parallel safe as $$
        select hashtextextended(coalesce(string_agg(a.key, chr(31) order by a.key collate "C"), ''), 0) from jsonb_each(attributes) a
         where case jsonb_typeof(a.value -> 'value')
                 when 'array' then exists (select from jsonb_array_elements_text(a.value -> 'value') v where v <> '')
                 when 'null' then false
                 when 'object' then false
                 else a.value ->> 'value' <> '' end
      $$;
      create index products_by_shape on catalog.products (organization_id, catalog.value_shape(attributes));
    `);
  }
}
