import { Migration } from '@mikro-orm/migrations';

export class Idempotency extends Migration {
  override up(): void {
    this.addSql(`
      create table identity.idempotency_keys (
        hash bytea primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        request bytea not null, result bytea, created_at timestamptz not null default now()
      );
      create index idempotency_keys_age on identity.idempotency_keys (created_at);
      create index idempotency_keys_organization on identity.idempotency_keys (organization_id);
    `);
  }
}
