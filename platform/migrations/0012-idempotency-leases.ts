import { Migration } from '@mikro-orm/migrations';

export class IdempotencyLeases extends Migration {
  override up(): void {
    this.addSql(`
      -- Results of before are sealed with the key of their caller and cannot be read any more.
      delete from identity.idempotency_keys;
      alter table identity.idempotency_keys
        alter column organization_id drop not null,
        add column holder uuid not null,
        add column leased_until timestamptz;
    `);
  }
}
