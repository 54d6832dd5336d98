import { byteCountTriggers, jsonBytes, listBytes, OF_ORGANIZATION, OWNED, textBytes } from '../../../../platform/database/index.ts';

/** Jobs of all kinds and their items. */
export const jobs = `
create table catalog.jobs (
  ${OWNED},
  kind text not null,
  status text not null default 'pending',
  -- Options of the work.
  model_type text not null,
  websearch boolean, extract_images boolean, include_existing_attributes boolean,
  overwrite text not null default 'all',
  use_examples boolean not null default true,
  -- Whether models read twice.
  agreement boolean not null default false,
  -- The wanted precision of values that are accepted without a person.
  auto_accept double precision,
  attribute_set_id uuid, attribute_ids uuid[],
  evidence_job_id uuid, rerun_of_id uuid,
  -- Of imports.
  uploaded_file_ids uuid[], total_files integer, total_extracted integer, rows_read integer, prompt text, auto_enrich boolean, enrichment_config jsonb,
  import_mapping jsonb, import_job_id uuid, import_options jsonb, import_counts jsonb,
  -- Of bulk edits and exports.
  edits jsonb, undo_of_id uuid, export_format text, export_columns jsonb,
  -- Of brands and categories.
  file_name varchar(255), input_columns text[],
  -- Of a rule that fills gaps: hashes of the attributes with their options, and the numbers of missing values when it began and after it ended.
  gap_rule_id uuid, gap_attributes bigint[], gaps integer, gaps_left integer,
  -- Items from turn open_until on wait until the job continues.
  paused boolean not null default false, pause_reason text, open_until integer,
  -- The limits at which the job pauses, and the numbers that they compare.
  max_credits numeric(16,4), spent numeric(16,4) not null default 0,
  max_error_rate double precision,
  min_confidence double precision, value_count integer not null default 0, confidence_sum double precision not null default 0,
  -- Progress.
  total_count integer not null,
  processed_count integer not null default 0, success_count integer not null default 0, failed_count integer not null default 0,
  error_summary text,
  cost numeric(16,4) not null default 0,
  -- The number of the last change. Until watched_until, a process follows the changes, so they notify.
  sequence bigint not null default 1, watched_until timestamptz,
  created_by_id uuid not null,
  created_at timestamptz not null default now(), started_at timestamptz, completed_at timestamptz
);
-- The jobs of an organization, newest first: all, of a kind, in a state, or of a user.
create index jobs_newest_of_all on catalog.jobs (organization_id, created_at desc, id desc);
create index jobs_newest on catalog.jobs (organization_id, kind, created_at desc, id desc);
create index jobs_by_status on catalog.jobs (organization_id, status, created_at desc, id desc);
create index jobs_by_creator on catalog.jobs (organization_id, created_by_id, created_at desc, id desc);
-- The latest ended jobs of an organization, which a snapshot for subscribers contains.
create index jobs_ended on catalog.jobs (organization_id, completed_at desc) where completed_at is not null;
-- The jobs that work, for the sweep that finds lost ones.
create index jobs_open on catalog.jobs (created_at) where status in ('pending', 'processing') and not paused;
-- The jobs that use a file.
create index jobs_by_file on catalog.jobs using gin (uploaded_file_ids) where uploaded_file_ids <> '{}';
-- The jobs that turn the items of an import into products, newest first.
create index jobs_of_import on catalog.jobs (import_job_id, created_at desc, id desc) where import_job_id is not null;
-- The jobs of a rule that fills gaps, newest first.
create index jobs_of_gap_rule on catalog.jobs (gap_rule_id, created_at desc, id desc) where gap_rule_id is not null;
-- The undo of a bulk edit. One that works or has worked is the only one.
create unique index jobs_undo on catalog.jobs (undo_of_id) where undo_of_id is not null and status in ('pending', 'processing', 'completed');
create index jobs_undoing on catalog.jobs (undo_of_id, created_at desc) where undo_of_id is not null;
-- The exports whose parts nobody can download.
create index jobs_without_file on catalog.jobs (completed_at)
  where kind = 'product-export' and status in ('stopped', 'failed', 'completed_with_errors');
create unique index jobs_one_at_a_time on catalog.jobs (organization_id, kind)
  where kind in ('brand-enrichment', 'product-category-enrichment') and status in ('pending', 'processing');
-- The lists that a caller sends with a job never change.
${byteCountTriggers({ table: 'catalog.jobs', bytes: jsonBytes('import_mapping', 'edits', 'export_columns') })}

-- A hash of the slugs and names of the attributes.
create function catalog.column_shape(data jsonb) returns bigint language sql immutable strict parallel safe as $$
  select hashtextextended(coalesce(jsonb_object_agg(a.key, a.value -> 'attributeName'), '{}')::text, 0) from jsonb_each(data) a
$$;

create table catalog.job_items (
  id uuid primary key,
  organization_id uuid not null,
  job_id uuid not null references catalog.jobs on delete cascade deferrable initially deferred,
  ordinal integer not null,
  -- Position in processing order. Items of a later phase wait for those of the earlier ones.
  turn integer not null, phase smallint not null default 0,
  -- The subject: a product, a page of a file, or a brand or category.
  product_id uuid,
  file_id uuid, file_page integer, page_count integer not null default 1,
  import_item_ids uuid[],
  -- In the job of a rule that fills gaps, a hash of what the product had to read. Null for an item that failed before it was read.
  gap_inputs bigint,
  -- Whether the work needs no model and costs nothing.
  without_model boolean not null default false,
  -- json instead of jsonb preserves the order of keys and every character.
  subject text, label text, input_data json, reference_data jsonb,
  -- Whether the item enriched a brand or category that was merged into that of the label.
  from_merge boolean not null default false,
  status text not null default 'pending',
  error_message text,
  -- Results.
  enriched_data jsonb, provenance jsonb, example_ids uuid[],
  validation_results jsonb, overall_score numeric(5,2),
  results jsonb not null default '[]',
  -- The work that was charged, so that a later attempt does the same work.
  as_parent boolean, cost numeric(16,4) not null default 0,
  created_at timestamptz not null default now(), started_at timestamptz, completed_at timestamptz,
  unique (job_id, ordinal)
);
-- The next items of a job.
create index job_items_open on catalog.job_items (job_id, turn) where status in ('pending', 'processing');
-- The items of a product, newest first.
create index job_items_of_product on catalog.job_items (product_id, created_at desc, id desc) where product_id is not null;
-- The attempts of rules to fill the gaps of a product.
create index job_items_of_gaps on catalog.job_items (product_id, gap_inputs) where gap_inputs is not null;
-- The items of a brand or category, the last ended first.
create index job_items_of_label on catalog.job_items
  (organization_id, subject, catalog.name_key(label), coalesce(completed_at, created_at) desc, id desc) where label is not null;
-- The columns of a download of brands or categories, which are known without reading every item.
create index job_items_by_columns on catalog.job_items (job_id, catalog.column_shape(enriched_data))
  where subject is not null and enriched_data is not null;
-- Items that fail are never refused.
${byteCountTriggers({
  table: 'catalog.job_items',
  bytes: `300 + ${textBytes('label', 'input_data::text')} + coalesce(cardinality(r.import_item_ids), 0) * 16 + ${jsonBytes('enriched_data', 'provenance', 'validation_results', 'results', 'reference_data')}`,
  updates: `r.status = 'completed'`,
})}

-- The known values that a job uses for one category, so that all of its items and reruns use the same ones.
create table catalog.job_vocabularies (
  job_id uuid not null references catalog.jobs on delete cascade deferrable initially deferred,
  category_key uuid not null,
  organization_id uuid not null,
  entries jsonb not null,
  primary key (job_id, category_key)
);
`;

/** The products of bulk edits, and what the edits did to them. */
export const productEdits = `
create table catalog.product_edit_pages (
  item_id uuid primary key references catalog.job_items on delete cascade deferrable initially deferred,
  job_id uuid not null,
  ${OF_ORGANIZATION},
  -- Empty when they are forgotten.
  product_ids uuid[] not null,
  product_count integer not null,
  changed integer not null default 0, unchanged integer not null default 0, refused integer not null default 0, deleted integer not null default 0,
  created_at timestamptz not null default now()
);
-- The results of a job.
create index product_edit_pages_of_job on catalog.product_edit_pages (job_id);
-- The pages of a deleted organization.
create index product_edit_pages_of_organization on catalog.product_edit_pages (organization_id);
-- The retention.
create index product_edit_pages_age on catalog.product_edit_pages (created_at) where product_ids <> '{}';
${byteCountTriggers({ table: 'catalog.product_edit_pages', bytes: '100 + 16 * cardinality(r.product_ids)', updates: 'false' })}

create table catalog.product_edits (
  job_id uuid not null references catalog.jobs on delete cascade deferrable initially deferred,
  product_id uuid not null,
  ${OF_ORGANIZATION},
  sku varchar(64) not null,
  outcome text not null,
  message text,
  changes jsonb not null,
  edited_at timestamptz not null default now(),
  primary key (job_id, product_id)
);
-- The list of an outcome.
create index product_edits_by_outcome on catalog.product_edits (job_id, outcome, product_id);
-- The results of a deleted organization.
create index product_edits_of_organization on catalog.product_edits (organization_id);
-- The retention.
create index product_edits_age on catalog.product_edits (edited_at);
${byteCountTriggers({ table: 'catalog.product_edits', bytes: `150 + ${textBytes('message')} + ${jsonBytes('changes')}` })}
`;

/** The products of exports, and their lines in the file. */
export const productExports = `
create table catalog.product_export_pages (
  item_id uuid primary key references catalog.job_items on delete cascade deferrable initially deferred,
  job_id uuid not null,
  ordinal integer not null,
  ${OF_ORGANIZATION},
  -- Empty when they are exported or forgotten.
  product_ids uuid[] not null,
  product_count integer not null,
  exported integer not null default 0,
  -- The attributes of the exported products.
  slugs text[] not null default '{}',
  created_at timestamptz not null default now()
);
-- The pages of a job in the order of the file.
create index product_export_pages_of_job on catalog.product_export_pages (job_id, ordinal);
-- The pages of a deleted organization.
create index product_export_pages_of_organization on catalog.product_export_pages (organization_id);
${byteCountTriggers({ table: 'catalog.product_export_pages', bytes: `100 + 16 * cardinality(r.product_ids) + ${listBytes('slugs')}`, updates: 'false' })}

create table catalog.product_export_parts (
  item_id uuid not null references catalog.job_items on delete cascade deferrable initially deferred,
  place integer not null,
  ${OF_ORGANIZATION},
  content text not null,
  created_at timestamptz not null default now(),
  primary key (item_id, place)
);
-- The parts of a deleted organization.
create index product_export_parts_of_organization on catalog.product_export_parts (organization_id);
-- The retention.
create index product_export_parts_age on catalog.product_export_parts (created_at);
${byteCountTriggers({ table: 'catalog.product_export_parts', bytes: '100 + octet_length(r.content)' })}
`;

/** The texts that items have read. */
export const evidence = `
-- Source texts of items, deduplicated per organization.
create table catalog.source_texts (
  ${OF_ORGANIZATION},
  hash text not null,
  text text not null,
  bytes integer not null generated always as (octet_length(text)) stored,
  used_at timestamptz not null default now(),
  primary key (organization_id, hash)
);
-- The retention.
create index source_texts_age on catalog.source_texts (used_at);
-- The texts of an organization beyond its limit of bytes.
create index source_texts_size on catalog.source_texts (organization_id, used_at desc, hash) include (bytes);

create table catalog.item_sources (
  item_id uuid not null references catalog.job_items on delete cascade deferrable initially deferred,
  place integer not null,
  organization_id uuid not null,
  job_id uuid not null,
  product_id uuid not null,
  kind text not null, url text, title text, hash text not null,
  primary key (item_id, place)
);
-- The sources of a product in a job.
create index item_sources_job on catalog.item_sources (job_id, product_id, place);
-- The uses of a text.
create index item_sources_text on catalog.item_sources (organization_id, hash);

-- Texts within a budget of characters. Short ones stay complete.
create function catalog.fit_texts(texts text[], budget integer) returns text[] language sql immutable parallel safe
  return (select coalesce(array_agg(left(t, greatest(0, budget - before)::int) order by n), '{}') from (
    select t, n, coalesce(sum(length(t)) over (order by length(t), n rows between unbounded preceding and 1 preceding), 0) as before
      from unnest(texts) with ordinality as given (t, n)) as measured);
`;
