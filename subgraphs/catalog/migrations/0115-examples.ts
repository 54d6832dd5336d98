import { Migration } from '@mikro-orm/migrations';

/** The columns of a product that decide whether and where it is an example. */
const FACTS = ['organization_id', 'name', 'category', 'is_parent', 'user_provided_raw_data_sources', 'attributes', 'provenance'];
const factsOf = (row: string) => `(${FACTS.map((column) => `${row}.${column}`).join(', ')})`;

/** Adds the given products to the examples, if people accepted any of their values. */
const addExamples = (products: string, filter = 'true') => `
  with added as (
    insert into catalog.examples (product_id, organization_id, category_key, buckets)
    select p.id, p.organization_id, catalog.category_key(p.category), catalog.example_buckets(p)
      from ${products} where not p.is_parent and catalog.has_accepted(p.attributes, p.provenance) and ${filter}
    on conflict do nothing returning product_id, buckets)
  insert into catalog.example_terms (bucket, product_id) select bucket, product_id from added, unnest(buckets) as bucket`;

/** Removes the given products from the examples. */
const removeExamples = (ids: string) => `
  with removed as (delete from catalog.examples where product_id in (${ids}) returning product_id, buckets)
  delete from catalog.example_terms t using (select product_id, unnest(buckets) as bucket from removed) r
   where t.bucket = r.bucket and t.product_id = r.product_id`;

export class Examples extends Migration {
  override up(): void {
    this.addSql(`

      alter table catalog.jobs add column overwrite text not null default 'all', add column use_examples boolean not null default true;
      alter table catalog.job_items add column example_ids uuid[];
      alter table catalog.attributes add column examples text[] not null default '{}';

      -- A person wrote or accepted a value. Values written by callers have no provenance.
      create function catalog.is_accepted(origin jsonb) returns boolean language sql immutable parallel safe
        return origin is null or origin ? 'reviewedAt' or origin ->> 'sourceKind' = 'review';
      create function catalog.has_accepted(attributes jsonb, provenance jsonb) returns boolean language sql immutable parallel safe
        return exists (select 1 from jsonb_each(attributes) a
                        where jsonb_typeof(a.value -> 'value') <> 'null' and catalog.is_accepted(provenance -> a.key));
      create function catalog.category_key(category text) returns uuid language sql immutable parallel safe
        return coalesce(catalog.name_key(category), '00000000-0000-0000-0000-000000000000');
      create function catalog.example_text(name text, sources text[]) returns text language sql immutable parallel safe
        return left(name || E'\\n' || coalesce((select string_agg(left(s, 1000), E'\\n' order by n)
          from unnest(sources) with ordinality as given (s, n) where s !~* '^\\s*https?://'), ''), 1000);
      -- The category and the longest words of a product, hashed within its category; and its longest words within the organization.
      create function catalog.example_buckets(p catalog.products) returns bigint[] language sql immutable parallel safe
        return array(
          with words as (
            select word, row_number() over (order by length(word) desc, word) as place from (
              select distinct word from regexp_split_to_table(lower(left(
                catalog.example_text(p.name, p.user_provided_raw_data_sources), 400)), '[^[:alnum:]]+') as word where length(word) > 1) as each_word)
          select hashtextextended(concat_ws(' ', p.organization_id, catalog.category_key(p.category), word), 0) from words where place <= 12
          union select hashtextextended(concat_ws(' ', p.organization_id, word), 0) from words where place <= 6
          union select hashtextextended(concat_ws(' ', p.organization_id, catalog.category_key(p.category)), 0));

      -- Products with accepted values, and the inverted index that finds them by word. Triggers maintain both.
      create table catalog.examples (
        product_id uuid primary key, organization_id uuid not null, category_key uuid not null, buckets bigint[] not null
      );
      create index examples_category on catalog.examples (organization_id, category_key, product_id);
      create index examples_organization on catalog.examples (organization_id, product_id);
      create table catalog.example_terms (bucket bigint not null, product_id uuid not null, primary key (bucket, product_id));

      create function catalog.add_examples() returns trigger language plpgsql as $$
      begin ${addExamples('after_rows r join catalog.products p on p.id = r.id')}; return null; end $$;
      create function catalog.change_examples() returns trigger language plpgsql as $$
      declare changed uuid[];
      begin
        select array_agg(a.id) into changed from after_rows a join before_rows b using (id)
         where ${factsOf('a')} is distinct from ${factsOf('b')};
        if changed is null then return null; end if;
        ${removeExamples(`
          select p.id from catalog.products p join catalog.examples e on e.product_id = p.id where p.id = any(changed)
             and (p.is_parent or not catalog.has_accepted(p.attributes, p.provenance)
                  or (e.organization_id, e.category_key, e.buckets) is distinct from
                     (p.organization_id, catalog.category_key(p.category), catalog.example_buckets(p)))`)};
        ${addExamples('catalog.products p', 'p.id = any(changed)')};
        return null;
      end $$;
      create function catalog.remove_examples() returns trigger language plpgsql as $$
      begin ${removeExamples('select id from before_rows')}; return null; end $$;
      create trigger examples_added after insert on catalog.products referencing new table as after_rows
        for each statement execute function catalog.add_examples();
      create trigger examples_changed after update on catalog.products referencing new table as after_rows old table as before_rows
        for each statement execute function catalog.change_examples();
      create trigger examples_removed after delete on catalog.products referencing old table as before_rows
        for each statement execute function catalog.remove_examples();
      ${addExamples('catalog.products p')};

      -- The known values that a job uses for one category, so that all of its items and reruns use the same ones.
      create table catalog.job_vocabularies (
        job_id uuid not null references catalog.jobs on delete cascade deferrable initially deferred, category_key uuid not null,
        organization_id uuid not null, entries jsonb not null, primary key (job_id, category_key)
      );
    `);
  }
}
