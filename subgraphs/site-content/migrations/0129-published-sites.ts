import { Migration } from '@mikro-orm/migrations';

/** Readers list published sites by name, without passing the drafts between them. */
export class PublishedSites extends Migration {
  override up(): void {
    this.addSql(`
      create index sites_by_status on site_content.sites (organization_id, status, name, id);
      create index sites_of_workspace_by_status on site_content.sites (workspace_id, status, name, id);
    `);
  }
}
