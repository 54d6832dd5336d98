import { Migration } from '@mikro-orm/migrations';

/** Bytes of the rows of each organization, the quotas of the plans, and the refusal of rows beyond them. */
export class StoredBytes extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      alter table identity.organizations add column storage_quota bigint check (storage_quota >= 0);
      comment on column identity.organizations.storage_quota is 'Replaces the quota of the plan.';

      create table identity.storage_quotas (plan text primary key, bytes bigint not null check (bytes >= 0));
      insert into identity.storage_quotas values ('free', 5000000000), ('growth', 50000000000), ('enterprise', 500000000000);

      -- The bytes of a table are the sum of its rows here. A writer takes a row that no other transaction holds, so none waits.
      create table identity.stored_bytes (
        id bigint generated always as identity primary key,
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        list text not null, bytes bigint not null
      ) with (fillfactor = 50);
      create index stored_bytes_by_organization on identity.stored_bytes (organization_id, list);

      -- The size of a value when it is neither compressed nor in another table, so that it is the same before and after it is stored.
      create function identity.json_bytes(value jsonb) returns integer language sql stable parallel safe as $$
        select pg_column_size(value || case jsonb_typeof(value) when 'array' then '[]'::jsonb else '{}'::jsonb end)
      $$;
      create function identity.text_bytes(texts text[]) returns integer language sql stable parallel safe as $$
        select octet_length(array_to_string(texts, ''))
      $$;

      create function identity.add_bytes(organization uuid, counted text, delta bigint, enforced boolean) returns void language plpgsql as $$
      declare quota bigint;
      begin
        if delta = 0 then return; end if;
        update identity.stored_bytes set bytes = bytes + delta where id = (
          select id from identity.stored_bytes where organization_id = organization and list = counted limit 1 for update skip locked);
        if not found then
          insert into identity.stored_bytes (organization_id, list, bytes)
          select o.id, counted, delta from identity.organizations o where o.id = organization;
        end if;
        if delta < 0 or not enforced then return; end if;
        select coalesce(o.storage_quota, q.bytes) into quota from identity.organizations o
          left join identity.storage_quotas q on q.plan = o.plan where o.id = organization;
        if (select sum(bytes) from identity.stored_bytes where organization_id = organization) > quota then
          raise exception using errcode = 'QS001', message = format(
            'Storage limit reached. The data of the organization can take up to %s MB. Delete unused data, or ask for a larger plan.', trim_scale(round(quota / 1000000.0, 2)));
        end if;
      end $$;
    `);
  }
}
