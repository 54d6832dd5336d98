import { Migration } from '@mikro-orm/migrations';

export class CatalogAccess extends Migration {
  override up(): void {
    this.addSql(`
      alter table agent.agents add column catalog_access boolean not null default false,
                               add column catalog_attributes text[] not null default '{}';
    `);
  }
}
