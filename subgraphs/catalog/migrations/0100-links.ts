import { Migration } from '@mikro-orm/migrations';

const subjects = { brand: 'brands', category: 'categories' };

/** The names of changed products as rows of subject, name and enriched state, counted `n` times each. */
const named = (rows: string, n: number) =>
  Object.keys(subjects)
    .map((subject) => `select organization_id, '${subject}' as subject, ${subject} as name, enriched, ${n} as n from ${rows}`)
    .join(' union all ');

const sums = (changes: string) => `
  select organization_id, subject, catalog.name_key(name) as key, min(name) as name, sum(n) as products,
         coalesce(sum(n) filter (where enriched), 0) as enriched
    from (${changes}) c where btrim(name, E' \\t\\r\\n') <> '' group by 1, 2, 3`;

const upsert = (changes: string) => `
  insert into catalog.labels as l (organization_id, subject, key, name, product_count, enriched_count)
  select * from (${sums(changes)}) s where products <> 0 or enriched <> 0 order by 1, 2, 3
  on conflict (organization_id, subject, key) do update set product_count = l.product_count + excluded.product_count,
    enriched_count = l.enriched_count + excluded.enriched_count,
    name = case when l.product_count = 0 and l.record_id is null then excluded.name else l.name end`;

const isListed = 'product_count > 0 or record_id is not null';

export class Links extends Migration {
  override up(): void {
    this.addSql(`

      alter table catalog.jobs add column cost numeric(16,4) not null default 0, add column rerun_of_id uuid;
      update catalog.jobs j set cost = i.cost
        from (select job_id, sum(cost) as cost from catalog.job_items group by 1 having sum(cost) > 0) i where i.job_id = j.id;
      create index job_items_of_product on catalog.job_items (product_id, created_at desc, id desc) where product_id is not null;
      create index files_newest on catalog.files (organization_id, created_at desc, id desc) where ready;

      -- The brands and categories that products name or that were created, with the numbers of their products.
      create table catalog.labels (
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        subject text not null, key uuid not null, name text not null, product_count bigint not null default 0,
        enriched_count bigint not null default 0, record_id uuid, primary key (organization_id, subject, key)
      );
      ${upsert(named('catalog.products', 1))};
      ${Object.entries(subjects)
        .map(
          ([subject, table]) => `
      insert into catalog.labels as l (organization_id, subject, key, name, record_id)
        select organization_id, '${subject}', catalog.name_key(name), name, id from catalog.${table}
        on conflict (organization_id, subject, key) do update set record_id = excluded.record_id, name = excluded.name;
      create function catalog.list_${subject}() returns trigger language plpgsql as $$
      begin
        insert into catalog.labels (organization_id, subject, key, name, record_id)
        values (new.organization_id, '${subject}', catalog.name_key(new.name), new.name, new.id)
        on conflict (organization_id, subject, key) do update set record_id = excluded.record_id, name = excluded.name;
        return null;
      end $$;
      create trigger list_${subject} after insert on catalog.${table} for each row execute function catalog.list_${subject}();`,
        )
        .join('\n')}

      -- A category can exceed the size of an index entry.
      create index labels_by_name on catalog.labels (organization_id, subject, (left(lower(name), 200)), key) where ${isListed};
      create index labels_by_products on catalog.labels (organization_id, subject, product_count, key) where ${isListed};
      create index labels_search on catalog.labels using gin (organization_id, subject, (lower(name)) gin_trgm_ops) where ${isListed};
      create index labels_of_record on catalog.labels (record_id) where record_id is not null;

      create function catalog.count_created_labels() returns trigger language plpgsql as $$
      begin
        ${upsert(named('after_rows', 1))};
        return null;
      end $$;
      create function catalog.count_changed_labels() returns trigger language plpgsql as $$
      begin
        if not exists (select 1 from after_rows a join before_rows b using (id)
                        where (a.brand, a.category, a.enriched) is distinct from (b.brand, b.category, b.enriched)) then return null; end if;
        ${upsert(`${named('after_rows', 1)} union all ${named('before_rows', -1)}`)};
        return null;
      end $$;
      create function catalog.count_deleted_labels() returns trigger language plpgsql as $$
      begin
        update catalog.labels l set product_count = l.product_count - gone.products, enriched_count = l.enriched_count - gone.enriched
          from (${sums(named('before_rows', 1))}) gone
         where (l.organization_id, l.subject, l.key) = (gone.organization_id, gone.subject, gone.key);
        return null;
      end $$;
      create trigger labels_created after insert on catalog.products referencing new table as after_rows
        for each statement execute function catalog.count_created_labels();
      create trigger labels_changed after update on catalog.products referencing new table as after_rows old table as before_rows
        for each statement execute function catalog.count_changed_labels();
      create trigger labels_deleted after delete on catalog.products referencing old table as before_rows
        for each statement execute function catalog.count_deleted_labels();
    `);
  }
}
