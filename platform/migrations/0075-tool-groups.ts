import { Migration } from '@mikro-orm/migrations';

export class ToolGroups extends Migration {
  override up(): void {
    this.addSql(`
      alter table identity.api_keys add column tool_groups text[] not null
        default '{catalog-read,agents-read,integration-read,site-content-read}';
    `);
  }
}
