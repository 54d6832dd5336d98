import { Migration } from '@mikro-orm/migrations';

interface CountedList {
  table: string;
  list: string;
  /** Columns by which the rows are counted apart. */
  by?: string[];
}

/** Keeps the sizes of a list in `identity.row_counts` from now on, and counts the rows that exist. */
export function countRowsOf({ table, list, by = [] }: CountedList): string {
  const values = [list, ...by].map((text) => `'${text}'`).join(', ');
  const name = `count_${list}`;
  const update = `after update of ${by.join(', ')} on ${table} for each row
        when (${by.map((column) => `old.${column} is distinct from new.${column}`).join(' or ')}) execute function identity.recount_row(${values})`;
  return `
      create trigger ${name}_added after insert on ${table} referencing new table as added
        for each statement execute function identity.count_rows(${values});
      create trigger ${name}_removed after delete on ${table} referencing old table as removed
        for each statement execute function identity.count_rows(${values});
      ${by.length > 0 ? `create trigger ${name}_moved ${update};` : ''}
      insert into identity.row_counts (organization_id, list, key, slot, count)
      select organization_id, '${list}', array[${by.join(', ')}]::text[], 0, count(*) from ${table} group by 1, 3;`;
}

/** The sizes of lists that grow without limit, so that a page needs no count of all rows. */
export class RowCounts extends Migration {
  override up(): void {
    this.addSql(`
      -- The size of a list is the sum of its slots, which avoids contention between transactions.
      create table identity.row_counts (
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        list text not null, key text[] not null, slot smallint not null, count bigint not null,
        primary key (organization_id, list, key, slot)
      ) with (fillfactor = 70);

      create function identity.add_row_counts(changes jsonb[], n integer, list text, by text[]) returns void language sql as $$
        insert into identity.row_counts as c (organization_id, list, key, slot, count)
        select (r ->> 'organization_id')::uuid, add_row_counts.list, array(select r ->> column_name from unnest(by) column_name),
               pg_backend_pid() % 16, sum(n)
          from unnest(changes) r
         where exists (select 1 from identity.organizations where id = (r ->> 'organization_id')::uuid)
         group by 1, 3 order by 1, 3
        on conflict (organization_id, list, key, slot) do update set count = c.count + excluded.count
      $$;
      create function identity.count_rows() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          perform identity.add_row_counts(array_agg(to_jsonb(r)), 1, tg_argv[0], tg_argv[1:]) from added r;
        else
          perform identity.add_row_counts(array_agg(to_jsonb(r)), -1, tg_argv[0], tg_argv[1:]) from removed r;
        end if;
        return null;
      end $$;
      create function identity.recount_row() returns trigger language plpgsql as $$
      begin
        perform identity.add_row_counts(array[to_jsonb(old)], -1, tg_argv[0], tg_argv[1:]);
        perform identity.add_row_counts(array[to_jsonb(new)], 1, tg_argv[0], tg_argv[1:]);
        return null;
      end $$;
      ${countRowsOf({ table: 'identity.credit_entries', list: 'credit_entries' })}
    `);
  }
}
