import { byteCountTriggers, jsonBytes, OWNED, textBytes } from '../../../../platform/database/index.ts';

const OF_SOURCE = 'source_id uuid not null references agent.sources on delete cascade deferrable initially deferred';
const PASSAGE = `
  page_id uuid, url text, title text,
  -- Of a PDF.
  page integer,
  headings text[] not null, context text not null, text text not null,
  tokens integer not null,
  content_hash text not null,
  suspicious boolean not null default false,
  embedding_model text`;
/** A vector has 512 numbers. The text of a passage is stored again for the search by words. */
const PASSAGE_BYTES = `2500 + 2 * (${textBytes('context', 'text')})`;

/** Knowledge sources, and the crawl of their pages. */
export const sources = `
create table agent.sources (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  type text not null,
  name varchar(255) not null,
  url text, text text, qa jsonb,
  -- The uploaded file, which platform/files stores.
  file_id uuid, file_name varchar(255), file_bytes integer,
  status text not null, error text,
  page_count integer not null default 0, failed_page_count integer not null default 0, page_total integer not null default 0,
  chunk_count integer not null default 0, suspicious_count integer not null default 0, staged_count integer not null default 0, embedded_count integer not null default 0,
  refresh_interval text not null, next_refresh_at timestamptz,
  run integer not null default 0, discovered_run integer not null default 0,
  -- For the order of turns.
  queued_at timestamptz not null default now(),
  crawl_begun_at timestamptz,
  crawl_pause_ms integer not null default 0,
  -- The robots.txt of the site, which also applies to pages that others redirect to, and the processor time of its checks.
  crawl_robots text, crawl_check_ms integer not null default 0,
  -- The number of the last change.
  sequence bigint not null default 0,
  index_version bigint not null default 0,
  last_indexed_at timestamptz,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now()
);
-- The sources of an agent, newest first.
create index sources_newest on agent.sources (agent_id, created_at desc, id desc);
-- The foreign key.
create index sources_by_organization on agent.sources (organization_id);
-- The sources to refresh.
create index sources_due on agent.sources (next_refresh_at) where next_refresh_at is not null;
-- The sources that are being indexed: all, and those of an organization in the order of their turns.
create index sources_open on agent.sources (id) where status not in ('ready', 'failed');
create index sources_in_turn on agent.sources (organization_id, queued_at, id) where status not in ('ready', 'failed');
create sequence agent.index_versions;
-- The message of a source, in an outbox that grew while Temporal was down.
create index outbox_source on identity.outbox ((payload ->> 'sourceId'));
-- Their content never changes.
${byteCountTriggers({ table: 'agent.sources', bytes: `500 + ${textBytes('text')} + ${jsonBytes('qa')}` })}

-- The numbered states of a source, which subscribers follow.
create table agent.source_changes (
  ${OF_SOURCE},
  sequence bigint not null,
  status text not null, error text,
  page_count integer not null, failed_page_count integer not null, page_total integer not null,
  staged_count integer not null, embedded_count integer not null, chunk_count integer not null,
  at timestamptz not null default clock_timestamp(),
  primary key (source_id, sequence)
);
create function agent.source_changed() returns trigger language plpgsql as $$
begin perform pg_notify('source_changes', new.source_id::text); return null; end $$;
create trigger changed after insert on agent.source_changes for each row execute function agent.source_changed();

-- The progress of a discovery between its requests.
create table agent.source_discoveries (
  source_id uuid primary key references agent.sources on delete cascade deferrable initially deferred,
  run integer not null,
  robots text not null,
  pending text[] not null, seen text[] not null,
  request_ms integer not null, check_ms integer not null
);

create table agent.source_pages (
  ${OWNED},
  ${OF_SOURCE},
  url text not null,
  ordinal integer not null,
  run integer not null default 0,
  status text not null, error text,
  attempts integer not null default 0,
  title text, etag text, last_modified text, content_hash text,
  last_seen_at timestamptz,
  fetched jsonb,
  unique (source_id, url)
);
-- The foreign key.
create index source_pages_organization on agent.source_pages (organization_id);
-- The next pages of a crawl.
create index source_pages_pending on agent.source_pages (source_id, attempts, ordinal) where status = 'pending';
${byteCountTriggers({ table: 'agent.source_pages', bytes: `300 + ${textBytes('url')}` })}

-- Hosts that are being crawled, one request at a time.
create table agent.crawl_hosts (
  host text primary key,
  token uuid,
  busy_until timestamptz not null,
  free_at timestamptz not null
);
-- The queue of the sources that crawl a host.
create table agent.crawl_turns (
  source_id uuid primary key references agent.sources on delete cascade deferrable initially deferred,
  organization_id uuid not null,
  host text not null,
  turn_at timestamptz not null,
  wanted_until timestamptz not null
);
-- The queue of a host.
create index crawl_turns_by_host on agent.crawl_turns (host);
`;

/** The passages that retrieval reads, and those that a run stages until it ends. */
export const passages = `
create table agent.staged_chunks (
  ${OF_SOURCE},
  run integer not null, ordinal integer not null, part integer not null, ${PASSAGE},
  primary key (source_id, run, ordinal, part)
);
-- The vectors that a failed run has paid for.
create index staged_chunks_by_hash on agent.staged_chunks (source_id, content_hash) where embedding_model is not null;
-- The organization of staged passages is that of their source. The foreign key would delete them when it is gone, and they would count forever.
create function agent.remove_staged_chunks() returns trigger language plpgsql as $$
begin delete from agent.staged_chunks where source_id = old.id; return old; end $$;
create trigger staged_first before delete on agent.sources for each row execute function agent.remove_staged_chunks();
${byteCountTriggers({
  table: 'agent.staged_chunks',
  bytes: PASSAGE_BYTES,
  organization: '(select s.organization_id from agent.sources s where s.id = r.source_id)',
})}

create table agent.chunks (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  ${OF_SOURCE},
  position integer not null, ${PASSAGE},
  last_seen_at timestamptz not null,
  search tsvector not null generated always as (
    to_tsvector('simple', context || ' ' || text) || to_tsvector('english', context || ' ' || text)) stored
);
-- The passages of a source in order, and those that a new run finds unchanged.
create index chunks_by_position on agent.chunks (source_id, position);
create index chunks_by_hash on agent.chunks (source_id, content_hash);
-- The passages of a source that read like instructions.
create index chunks_suspicious on agent.chunks (source_id, position) where suspicious;
-- The foreign keys.
create index chunks_by_agent on agent.chunks (agent_id);
create index chunks_by_organization on agent.chunks (organization_id);
-- The search by words.
create index chunks_search on agent.chunks using gin (agent_id, search);
${byteCountTriggers({ table: 'agent.chunks', bytes: PASSAGE_BYTES })}
`;

/** Without the extension, or the right to create it, vectors are arrays and retrieval scans them. */
export const vectors = `
do $$ begin
  create extension if not exists vector;
exception when feature_not_supported or undefined_file or insufficient_privilege then null;
end $$;
do $$ begin
  if exists (select from pg_am where amname = 'hnsw') then
    alter table agent.staged_chunks add column embedding vector(512);
    alter table agent.chunks add column embedding vector(512);
    -- The search by meaning.
    create index chunks_embedding on agent.chunks using hnsw (embedding vector_cosine_ops);
  else
    alter table agent.staged_chunks add column embedding real[];
    alter table agent.chunks add column embedding real[];
  end if;
end $$;
`;
