import { Migration } from '@mikro-orm/migrations';

export class SecretsCanary extends Migration {
  override up(): void {
    this.addSql(`
      create table identity.secrets_canary (
        only_row boolean primary key default true check (only_row), sealed bytea not null
      );
    `);
  }
}
