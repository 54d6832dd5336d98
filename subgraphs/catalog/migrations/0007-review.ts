import { Migration } from '@mikro-orm/migrations';

export class Review extends Migration {
  override up(): void {
    this.addSql(`
      alter table catalog.jobs add column paused boolean not null default false, add column open_until integer,
        add column max_credits numeric(16,4), add column max_error_rate double precision, add column spent numeric(16,4) not null default 0,
        add column evidence_job_id uuid;
      drop index catalog.jobs_open;
      create index jobs_open on catalog.jobs (created_at) where status in ('pending', 'processing') and not paused;

      -- Source texts of items, deduplicated per organization.
      create table catalog.source_texts (
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        hash text not null, text text not null, primary key (organization_id, hash)
      );
      create table catalog.item_sources (
        item_id uuid not null references catalog.job_items on delete cascade deferrable initially deferred, place integer not null,
        organization_id uuid not null, job_id uuid not null, product_id uuid not null, kind text not null, url text, title text, hash text not null,
        primary key (item_id, place)
      );
      create index item_sources_job on catalog.item_sources (job_id, product_id, place);

      create table catalog.proposals (
        item_id uuid not null references catalog.job_items on delete cascade deferrable initially deferred, slug text not null,
        organization_id uuid not null, job_id uuid not null, product_id uuid not null, confidence double precision not null,
        proposed jsonb not null, base jsonb, base_provenance jsonb, verdict text, reviewed_by_id uuid, reviewed_at timestamptz,
        primary key (item_id, slug)
      );
      create index proposals_queue on catalog.proposals (job_id, confidence, item_id, slug) where verdict is null;
    `);
  }
}
