import { OF_ORGANIZATION } from '../../../../platform/database/index.ts';

/** The latest change of each record that a mirror of the catalog follows. */
const subjects = { product: 'products', brand: 'brands', category: 'categories' };

/** SQL of the identifiers by which a mirror may know a record. */
const identifiers = (subject: string) => (subject === 'product' ? 'sku, external_id' : 'null, null');

const eventTriggers = (subject: string, table: string) =>
  (['insert', 'update', 'delete'] as const)
    .map(
      (event) => `
create function catalog.${subject}_change_${event}() returns trigger language plpgsql as $$ begin
  insert into catalog.changes as c (record_id, organization_id, subject, deleted, sku, external_id)
  select id, organization_id, '${subject}', ${event === 'delete'}, ${identifiers(subject)} from changed_rows r
   where exists (select 1 from identity.organizations o where o.id = r.organization_id) order by id
  on conflict (record_id) do update set number = null, deleted = excluded.deleted, at = excluded.at, sku = excluded.sku,
    external_id = excluded.external_id;
  return null;
end $$;
create trigger record_${event} after ${event} on catalog.${table} referencing ${event === 'delete' ? 'old' : 'new'} table as changed_rows
  for each statement execute function catalog.${subject}_change_${event}();`,
    )
    .join('');

/**
 * The change feed. Writers only mark a record as changed, so they never wait for each other. A reader numbers the changes that have committed,
 * one reader at a time, so the numbers become visible in their order.
 */
export const changes = `
create table catalog.changes (
  record_id uuid primary key,
  ${OF_ORGANIZATION},
  subject text not null,
  -- Null until a reader numbers the change.
  number bigint,
  -- The time of the first change, and whether an event told of the creation.
  first_at timestamptz not null default now(), announced boolean not null default false,
  deleted boolean not null,
  sku text, external_id text,
  at timestamptz not null default now()
) with (fillfactor = 80);
-- The feed.
create unique index changes_feed on catalog.changes (organization_id, number);
-- The first read of the feed, which lists no deletions.
create index changes_live on catalog.changes (organization_id, number) where number is not null and not deleted;
-- The changes to number.
create index changes_unnumbered on catalog.changes (organization_id, at, record_id) where number is null;
-- The deletions that are old.
create index changes_deleted on catalog.changes (at) where deleted;

create table catalog.change_counters (
  organization_id uuid primary key references identity.organizations on delete cascade deferrable initially deferred,
  -- The last number of the feed.
  last bigint not null default 0,
  -- The newest deletion that was forgotten.
  forgotten bigint not null default 0,
  -- Changes since this time become events; null without a webhook for them. The last change that became an event.
  emitting_since timestamptz, emitted bigint not null default 0
);
-- The organizations with such a webhook.
create index change_counters_emitting on catalog.change_counters (organization_id) where emitting_since is not null;
${Object.entries(subjects)
  .map(([subject, table]) => eventTriggers(subject, table))
  .join('')}
`;
