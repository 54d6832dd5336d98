import { OF_ORGANIZATION, rowCountTriggers } from '../../../database/index.ts';

/** The sizes of lists that grow without limit, so that a page needs no count of all rows. `rowCountTriggers` makes the triggers of a list. */
export const rowCounts = `
-- The size of a list is the sum of its slots, which avoids contention between transactions.
create table identity.row_counts (
  ${OF_ORGANIZATION},
  list text not null,
  key text[] not null,
  slot smallint not null,
  count bigint not null,
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
${rowCountTriggers({ table: 'identity.credit_entries', list: 'credit_entries' })}
`;

/**
 * Functions that maintain tables partitioned by weeks of `at`. Each call changes one partition and waits half a second for its locks, because
 * statements queue behind a waiting lock.
 */
export const partitions = `
create function identity.partitions_of(parent regclass) returns table (partition regclass, ends_at timestamptz) language sql stable as $$
  select c.oid::regclass, substring(pg_get_expr(c.relpartbound, c.oid) from $re$TO \\('([^']+)'\\)$re$)::timestamptz
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = parent and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
$$;

-- Adds the week after the last partition, and moves its rows out of the default partition.
create function identity.add_partition(parent regclass, until timestamptz) returns boolean language plpgsql set lock_timeout = '500ms' as $$
declare
  starts timestamptz; ends timestamptz; name text; spare text;
begin
  perform pg_advisory_xact_lock(hashtext('partitions'), parent::oid::int);
  select max(ends_at) into starts from identity.partitions_of(parent);
  if starts >= until then return false; end if;
  ends := starts + interval '7 days';
  select format('%I.%I', n.nspname, c.relname || to_char(starts at time zone 'UTC', '_YYYYMMDD')), format('%I.%I', n.nspname, c.relname || '_default')
    into name, spare from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = parent;
  execute format('lock table %s in access exclusive mode', spare);
  execute format('create table %s (like %s including defaults including constraints)', name, parent);
  execute format('with moved as (delete from %s where at >= %L and at < %L returning *) insert into %s select * from moved', spare, starts, ends, name);
  execute format('alter table %s attach partition %s for values from (%L) to (%L)', parent, name, starts, ends);
  return true;
end $$;

-- Drops the oldest partition whose rows are all older than the given time. The last one always stays.
create function identity.drop_partition(parent regclass, before timestamptz) returns boolean language plpgsql set lock_timeout = '500ms' as $$
declare
  oldest regclass;
begin
  perform pg_advisory_xact_lock(hashtext('partitions'), parent::oid::int);
  select partition into oldest from identity.partitions_of(parent)
   where ends_at <= before and ends_at < (select max(ends_at) from identity.partitions_of(parent)) order by ends_at limit 1;
  if oldest is null then return false; end if;
  execute format('drop table %s', oldest);
  return true;
end $$;
`;
