import { Migration } from '@mikro-orm/migrations';

/** Transactions of different connections rarely share a row, so they do not wait for each other. */
const SLOT = 'pg_backend_pid() % 16';
/** The columns that searches and the common filters read. */
const LISTED = ['sku', 'name', 'brand', 'category', 'parent_id', 'is_parent', 'enriched'];

const valuesOf = (row: string) => `(${LISTED.map((column) => `${row}.${column}`).join(', ')})`;

const bump = (rows: string, listed: string) => `
  insert into catalog.product_versions as v (organization_id, slot, listed, changed)
  select organization_id, ${SLOT}, ${listed}, 1 from (select distinct organization_id from ${rows}) o
   where exists (select 1 from identity.organizations where id = organization_id) order by 1
  on conflict (organization_id, slot) do update set listed = v.listed + excluded.listed, changed = v.changed + 1;
  return null;`;

const trigger = (event: string, transition: string, body: string) => `
  create function catalog.version_${event}() returns trigger language plpgsql as $$ begin ${body} end $$;
  create trigger version_${event} after ${event} on catalog.products referencing ${transition}
    for each statement execute function catalog.version_${event}();`;

/** Numbers of the state of a catalog, by which processes recognize that a total of a search still holds. */
export class ProductVersions extends Migration {
  override up(): void {
    this.addSql(`
      -- The sum of the slots increases with each commit that changed products.
      create table catalog.product_versions (
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        slot smallint not null, listed bigint not null, changed bigint not null, primary key (organization_id, slot)
      ) with (fillfactor = 50);
      ${trigger('insert', 'new table as after_rows', bump('after_rows', '1'))}
      ${trigger('delete', 'old table as before_rows', bump('before_rows', '1'))}
      ${trigger(
        'update',
        'new table as after_rows old table as before_rows',
        bump(
          'after_rows',
          `(exists (select 1 from after_rows a join before_rows b using (id) where ${valuesOf('a')} is distinct from ${valuesOf('b')}))::int`,
        ),
      )}
    `);
  }
}
