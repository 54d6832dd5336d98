import { byteCountTriggers, jsonBytes, OF_ORGANIZATION, textBytes } from '../../../../platform/database/index.ts';

const bytesOf = (rows: string, sign: '' | '-') => `select organization_id, ${sign}(bytes + page_bytes) as n from ${rows}`;

const usageTrigger = (name: string, event: string, transition: string, changes: string) => `
create function catalog.${name}() returns trigger language plpgsql as $$
begin
  insert into catalog.file_usage as u (organization_id, bytes)
  select organization_id, sum(n) from (${changes}) t
   where exists (select 1 from identity.organizations o where o.id = organization_id)
   group by 1 having sum(n) <> 0 order by 1
  on conflict (organization_id) do update set bytes = u.bytes + excluded.bytes;
  return null;
end $$;
create trigger ${name} after ${event} on catalog.files referencing ${transition}
  for each statement execute function catalog.${name}();`;

/** Uploaded files: their content, in the database or in a bucket, and the pages that jobs read. */
export const files = `
create table catalog.files (
  id uuid primary key default gen_random_uuid(),
  ${OF_ORGANIZATION},
  name varchar(255) not null,
  mime text not null,
  bytes bigint not null default 0,
  hash bytea,
  in_bucket boolean not null default false,
  ready boolean not null default false,
  -- Whether a record of another service has taken the file. It is no source of jobs, and is deleted with the record.
  kept boolean not null default false,
  page_bytes bigint not null default 0,
  -- The number of buckets of file_words; null before the first job that searches the file.
  word_buckets integer,
  created_by_id uuid not null,
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now()
);
comment on column catalog.files.page_bytes is 'Stored size of the pages of the file.';
-- The files of an organization, newest first.
create index files_newest on catalog.files (organization_id, created_at desc, id desc) where ready;
-- The files of an organization in a stable order.
create index files_ready on catalog.files (organization_id, id);
-- Uploads that nobody finished.
create index files_abandoned on catalog.files (created_at) where not ready and not kept;
-- Files that were not used for long.
create index files_unused on catalog.files (used_at) where ready;

-- The content of a file that is not in a bucket.
create table catalog.file_chunks (
  file_id uuid not null references catalog.files on delete cascade deferrable initially deferred,
  place integer not null,
  bytes bytea not null,
  primary key (file_id, place)
);
alter table catalog.file_chunks alter bytes set storage external;

-- The content of a file in pages that fit a model request.
create table catalog.file_pages (
  file_id uuid not null references catalog.files on delete cascade deferrable initially deferred,
  place integer not null,
  content json not null,
  -- Of tables: their name, and the number of the first row of the page.
  sheet text generated always as (content ->> 'name') stored,
  first_row integer generated always as ((content ->> 'first')::integer) stored,
  primary key (file_id, place)
);
-- The tables of a file.
create index file_pages_tables on catalog.file_pages (file_id, place) where first_row = 1;
-- The pages of a table.
create index file_pages_of_sheet on catalog.file_pages (file_id, sheet) where sheet is not null;

-- The words of the pages of a file, and the pages that have them. -1 stands for many pages. The words are spread over the buckets.
create table catalog.file_words (
  file_id uuid not null references catalog.files on delete cascade deferrable initially deferred,
  bucket integer not null,
  words integer[] not null,
  places integer[] not null,
  primary key (file_id, bucket)
);

-- The bytes that the files of an organization take.
create table catalog.file_usage (
  organization_id uuid primary key references identity.organizations on delete cascade deferrable initially deferred,
  bytes bigint not null default 0
) with (fillfactor = 70);
${usageTrigger('files_added', 'insert', 'new table as after_rows', bytesOf('after_rows', ''))}
${usageTrigger('files_changed', 'update', 'new table as after_rows old table as before_rows', `${bytesOf('after_rows', '')} union all ${bytesOf('before_rows', '-')}`)}
${usageTrigger('files_removed', 'delete', 'old table as before_rows', bytesOf('before_rows', '-'))}

-- Bucket objects of deleted files. A sweep deletes them later.
create table catalog.removed_objects (key text primary key, due_at timestamptz not null default now());
-- The objects that are due.
create index removed_objects_due on catalog.removed_objects (due_at);
create function catalog.note_removed_object() returns trigger language plpgsql as $$
begin
  insert into catalog.removed_objects (key) values (old.organization_id || '/' || old.id) on conflict do nothing;
  perform pg_notify('removed_objects', '');
  return null;
end $$;
create trigger file_removed after delete on catalog.files for each row when (old.in_bucket) execute function catalog.note_removed_object();
`;

/** The products that an import found in its files, until they are created. */
export const imports = `
create table catalog.import_items (
  id uuid primary key default gen_random_uuid(),
  ${OF_ORGANIZATION},
  job_id uuid not null references catalog.jobs on delete cascade deferrable initially deferred,
  parent_item_id uuid references catalog.import_items on delete cascade deferrable initially deferred,
  type text not null,
  status text not null default 'pending',
  error_message text,
  match_key text not null,
  name text not null, sku text not null, data jsonb not null,
  -- Values, source, questions and rows.
  details jsonb not null default '{"rows": [], "values": [], "source": [], "questions": [], "others": [], "empty": {"fields": [], "slugs": []}}',
  -- The order of the rows in the files.
  position bigint not null default 0,
  question_count integer not null default 0,
  child_count integer not null default 0,
  product_id uuid,
  created_at timestamptz not null default now(),
  unique (job_id, match_key)
);
-- The list in the order of the files, by name, and of a type; and the items with questions.
create index import_items_by_position on catalog.import_items (job_id, position, id);
create index import_items_in_question on catalog.import_items (job_id, position, id) where question_count > 0;
create index import_items_by_name on catalog.import_items (job_id, lower(name), id);
create index import_items_by_type on catalog.import_items (organization_id, job_id, type, id);
-- The variants of a parent.
create index import_items_of_family on catalog.import_items (parent_item_id) where parent_item_id is not null;
-- The items that became a product.
create index import_items_of_product on catalog.import_items (job_id, product_id) where product_id is not null;
-- Search for a part of a name or SKU.
create index import_items_search on catalog.import_items using gin (job_id, (lower(name)) gin_trgm_ops, (lower(sku)) gin_trgm_ops);
${byteCountTriggers({ table: 'catalog.import_items', bytes: `300 + ${jsonBytes('data', 'details')}`, updates: 'true' })}

-- The rows of files that became no item of their own.
create table catalog.import_notes (
  id uuid primary key default gen_random_uuid(),
  ${OF_ORGANIZATION},
  job_id uuid not null references catalog.jobs on delete cascade deferrable initially deferred,
  kind text not null,
  file text not null, sheet text not null, "row" integer not null,
  position bigint not null,
  item_id uuid,
  message text not null
);
-- The notes of a job in the order of the files: all, or of a kind.
create index import_notes_by_position on catalog.import_notes (job_id, position, id);
create index import_notes_by_kind on catalog.import_notes (organization_id, job_id, kind, position, id);
${byteCountTriggers({ table: 'catalog.import_notes', bytes: `200 + ${textBytes('message')}` })}

-- The uses of columns that were saved for suppliers.
create table catalog.import_mappings (
  id uuid primary key default gen_random_uuid(),
  ${OF_ORGANIZATION},
  supplier text not null,
  signature text not null,
  columns jsonb not null,
  synonyms text[] not null default '{}',
  saved_at timestamptz not null default now()
);
-- The list by supplier, and the one mapping of a supplier for the same columns.
create index import_mappings_by_supplier on catalog.import_mappings (organization_id, supplier, id);
create unique index import_mappings_by_columns on catalog.import_mappings (organization_id, signature, supplier);
-- The mappings that know a header.
create index import_mappings_by_header on catalog.import_mappings using gin (organization_id, synonyms);
${byteCountTriggers({ table: 'catalog.import_mappings', bytes: `200 + ${textBytes('supplier')} + ${jsonBytes('columns')}`, updates: 'true' })}
`;
