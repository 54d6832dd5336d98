import { Migration } from '@mikro-orm/migrations';

/** A key can be bound to a workspace of its organization only, and ends with the workspace. */
export class WorkspaceKeys extends Migration {
  override up(): void {
    this.addSql(`
      alter table site_content.workspaces add constraint workspaces_of_organization unique (organization_id, id);
      alter table identity.api_keys add constraint api_keys_workspace foreign key (organization_id, workspace_id)
        references site_content.workspaces (organization_id, id) on delete cascade;
    `);
  }
}
