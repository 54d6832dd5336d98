import { Migration } from '@mikro-orm/migrations';

const owned = 'organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred';
const ofSource = 'source_id uuid not null references agent.sources on delete cascade deferrable initially deferred';
const content = `
  page_id uuid, url text, title text, headings text[] not null, context text not null, text text not null,
  tokens integer not null, content_hash text not null, embedding_model text`;

/** Knowledge sources, their pages, and the chunks that retrieval reads. */
export class Sources extends Migration {
  override up(): void {
    this.addSql(`
      create extension if not exists btree_gin;

      create table agent.sources (
        id uuid primary key, ${owned},
        agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
        type text not null, name varchar(255) not null, url text, text text, qa jsonb,
        status text not null, error text, page_count integer not null default 0, failed_page_count integer not null default 0,
        page_total integer not null default 0, chunk_count integer not null default 0, staged_count integer not null default 0,
        embedded_count integer not null default 0, refresh_interval text not null, next_refresh_at timestamptz,
        run integer not null default 0, discovered_run integer not null default 0, crawl_pause_ms integer not null default 0, sequence bigint not null default 0,
        index_version bigint not null default 0, last_indexed_at timestamptz,
        created_at timestamptz not null default now(), updated_at timestamptz not null default now()
      );
      create index sources_newest on agent.sources (agent_id, created_at desc, id desc);
      create index sources_by_organization on agent.sources (organization_id);
      create index sources_due on agent.sources (next_refresh_at) where next_refresh_at is not null;
      create index sources_open on agent.sources (id) where status not in ('ready', 'failed');
      create sequence agent.index_versions;
      create index outbox_source on identity.outbox ((payload ->> 'sourceId'));

      create table agent.source_pages (
        id uuid primary key, ${owned}, ${ofSource},
        url text not null, ordinal integer not null, run integer not null default 0, status text not null, error text,
        attempts integer not null default 0, title text, etag text, last_modified text, content_hash text, last_seen_at timestamptz,
        fetched jsonb, unique (source_id, url)
      );
      create index source_pages_pending on agent.source_pages (source_id, attempts, ordinal) where status = 'pending';

      create table agent.source_changes (
        ${ofSource}, sequence bigint not null, status text not null, error text, page_count integer not null,
        failed_page_count integer not null, page_total integer not null, staged_count integer not null, embedded_count integer not null,
        chunk_count integer not null, at timestamptz not null default clock_timestamp(), primary key (source_id, sequence)
      );
      create function agent.source_changed() returns trigger language plpgsql as $$
      begin perform pg_notify('source_changes', new.source_id::text); return null; end $$;
      create trigger changed after insert on agent.source_changes for each row execute function agent.source_changed();

      create table agent.staged_chunks (
        ${ofSource}, run integer not null, ordinal integer not null, part integer not null, ${content},
        primary key (source_id, run, ordinal, part)
      );

      create table agent.chunks (
        id uuid primary key, ${owned},
        agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred, ${ofSource},
        position integer not null, ${content}, last_seen_at timestamptz not null,
        search tsvector not null generated always as (
          to_tsvector('simple', context || ' ' || text) || to_tsvector('english', context || ' ' || text)) stored
      );
      create index chunks_by_position on agent.chunks (source_id, position);
      create index chunks_by_hash on agent.chunks (source_id, content_hash);
      create index chunks_by_agent on agent.chunks (agent_id);
      create index chunks_by_organization on agent.chunks (organization_id);
      create index chunks_search on agent.chunks using gin (agent_id, search);

      create table agent.crawl_hosts (
        host text primary key, token uuid, busy_until timestamptz not null, free_at timestamptz not null
      );
    `);
    // Without the extension, or the right to create it, vectors are arrays and retrieval scans them.
    this.addSql(`
      do $$ begin
        create extension if not exists vector;
      exception when feature_not_supported or undefined_file or insufficient_privilege then null;
      end $$;
    `);
    this.addSql(`
      do $$ begin
        if exists (select from pg_am where amname = 'hnsw') then
          alter table agent.staged_chunks add column embedding vector(512);
          alter table agent.chunks add column embedding vector(512);
          create index chunks_embedding on agent.chunks using hnsw (embedding vector_cosine_ops);
        else
          alter table agent.staged_chunks add column embedding real[];
          alter table agent.chunks add column embedding real[];
        end if;
      end $$;
    `);
  }
}
