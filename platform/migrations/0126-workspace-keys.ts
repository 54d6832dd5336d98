import { Migration } from '@mikro-orm/migrations';

/** Keys that are bound to a workspace. Site content, whose tables are created later, adds the foreign key. */
export class WorkspaceKeys extends Migration {
  override up(): void {
    this.addSql(`
      alter table identity.api_keys add column workspace_id uuid check (workspace_id is null or organization_id is not null);
      create index api_keys_workspace on identity.api_keys (workspace_id) where workspace_id is not null;
    `);
  }
}
