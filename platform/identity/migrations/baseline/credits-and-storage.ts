import { OF_ORGANIZATION, OWNED } from '../../../database/index.ts';

/** The credits of an organization: the ledger, the usage by day, and the functions that are the only way to move credits. */
export const credits = `
create table identity.credit_entries (
  ${OWNED},
  amount numeric(16,4) not null,
  reason varchar(255) not null,
  -- Names the work that was paid. Credits move once for each reference.
  reference varchar(128) not null,
  created_at timestamptz not null default now(),
  unique (organization_id, reference)
);
-- The ledger, newest first.
create index credit_entries_newest on identity.credit_entries (organization_id, created_at desc, id desc);
-- A user gets the trial credits once, whichever organization they go to.
create unique index credit_entries_trial on identity.credit_entries (reference) where reference like 'trial:%';

create table identity.credit_usage (
  ${OF_ORGANIZATION},
  day date not null,
  kind text not null,
  credits numeric(16,4) not null default 0,
  charges bigint not null default 0,
  refunds bigint not null default 0,
  primary key (organization_id, day, kind)
) with (fillfactor = 70);

-- Every change of credits, plan or modules by an operator: who made it, and the account before and after.
create table identity.account_changes (
  ${OWNED},
  operator varchar(400) not null, key_id uuid,
  before jsonb not null, after jsonb not null,
  created_at timestamptz not null default now()
);
-- The changes of an organization, newest first.
create index account_changes_newest on identity.account_changes (organization_id, created_at desc);

-- Count a charge or refund of the work that its reference names. Other movements are no usage.
create function identity.count_usage(organization uuid, delta numeric, why text, what text) returns void language plpgsql as $$
declare paid_for text := case when what like any ('{reply%,summary:%,voice:%}') then 'chat' when what like 'source:%' then 'indexing'
  when what like 'retrieval-test:%' then 'retrieval-test' when what like 'item:%' then regexp_replace(why, ' item$', '')
  when what like 'refund:item:%' then (select regexp_replace(reason, ' item$', '') from identity.credit_entries
    where organization_id = organization and reference = substr(what, 8)) end;
begin
  if paid_for is null then return; end if;
  insert into identity.credit_usage as u (organization_id, day, kind, credits, charges, refunds)
  values (organization, (now() at time zone 'UTC')::date, paid_for, -delta, (delta < 0)::int, (delta >= 0)::int)
  on conflict (organization_id, day, kind) do update set credits = u.credits + excluded.credits,
    charges = u.charges + excluded.charges, refunds = u.refunds + excluded.refunds;
end $$;

-- Move credits once per reference. False, and nothing moved, when the balance does not suffice.
create function identity.move_credits(entry uuid, organization uuid, delta numeric, why text, what text, enforce boolean)
returns boolean language plpgsql as $$
begin
  insert into identity.credit_entries (id, organization_id, amount, reason, reference) values (entry, organization, delta, why, what)
  on conflict (organization_id, reference) do nothing;
  if not found then return true; end if;
  update identity.organizations set credits = credits + delta where id = organization and (not enforce or credits + delta >= 0);
  if found then
    perform identity.count_usage(organization, delta, why, what);
    return true;
  end if;
  delete from identity.credit_entries where id = entry;
  return false;
end $$;

-- Add to the charge of a reference, such as that of the passages of a source. False, and nothing moved, when the balance does not suffice.
create function identity.add_charge(entry uuid, organization uuid, delta numeric, why text, what text, enforce boolean)
returns boolean language plpgsql as $$
begin
  -- The organization last, as in move_credits. Another order would be a deadlock with the counter of the ledger.
  insert into identity.credit_entries as e (id, organization_id, amount, reason, reference) values (entry, organization, delta, why, what)
  on conflict (organization_id, reference) do update set amount = e.amount + excluded.amount;
  update identity.organizations set credits = credits + delta where id = organization and (not enforce or credits + delta >= 0);
  if found then
    perform identity.count_usage(organization, delta, why, what);
    return true;
  end if;
  delete from identity.credit_entries where id = entry;
  update identity.credit_entries set amount = amount - delta where organization_id = organization and reference = what;
  return false;
end $$;
`;

/** The bytes that an organization stores, and the refusal of rows beyond its quota. `byteCountTriggers` makes the triggers of a table. */
export const storage = `
create table identity.storage_quotas (plan text primary key, bytes bigint not null check (bytes >= 0));
insert into identity.storage_quotas values ('free', 5000000000), ('growth', 50000000000), ('enterprise', 500000000000);

-- The bytes of a table are the sum of its rows here. A writer takes a row that no other transaction holds, so none waits.
create table identity.stored_bytes (
  id bigint generated always as identity primary key,
  ${OF_ORGANIZATION},
  list text not null,
  bytes bigint not null
) with (fillfactor = 50);
-- The sum of an organization, and a free row of one of its tables.
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
  -- Deleted products are forgotten when room is needed, so they take none.
  if (select sum(bytes) from identity.stored_bytes where organization_id = organization and list <> 'catalog.deleted_products') > quota then
    raise exception using errcode = 'QS001', message = format(
      'Storage limit reached. The data of the organization can take up to %s MB. Delete unused data, or ask for a larger plan.', trim_scale(round(quota / 1000000.0, 2)));
  end if;
end $$;
`;
