import { Migration } from '@mikro-orm/migrations';

export class SiteContent extends Migration {
  override up(): void {
    this.addSql(`
      create schema if not exists site_content;

      create table site_content.workspaces (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        name varchar(255) not null, slug varchar(64) not null, created_at timestamptz not null default now(),
        constraint workspaces_slug unique (organization_id, slug)
      );
      create index workspaces_by_name on site_content.workspaces (organization_id, name, id);

      create table site_content.sites (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        -- Not deferred, so that a violation fails the statement and can be reported as NOT_FOUND.
        workspace_id uuid not null references site_content.workspaces on delete cascade,
        name varchar(255) not null, slug varchar(64) not null, status text not null, published_at timestamptz,
        created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
        constraint sites_slug unique (workspace_id, slug),
        check ((status = 'published') = (published_at is not null))
      );
      create index sites_by_name on site_content.sites (organization_id, name, id, status);
      create index sites_of_workspace on site_content.sites (workspace_id, name, id, status);
    `);
  }
}
