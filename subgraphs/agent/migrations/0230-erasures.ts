import { Migration } from '@mikro-orm/migrations';

/** Erasures of contacts, tickets without their content, and the origin of messages that came with a merged ticket. */
export class Erasures extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      create table agent.erasures (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        email varchar(320), scanned_at timestamptz not null default '-infinity', scanned_id uuid not null default '00000000-0000-0000-0000-000000000000',
        conversations integer not null default 0, messages integer not null default 0, leads integer not null default 0,
        submissions integer not null default 0, tickets integer not null default 0,
        created_at timestamptz not null default now(), completed_at timestamptz
      );
      create index erasures_open on agent.erasures (created_at) where completed_at is null;
      create index erasures_completed on agent.erasures (completed_at);
      create index erasures_organization on agent.erasures (organization_id);
      alter table agent.tickets add column erased_at timestamptz;
      alter table agent.ticket_messages add column merged_from_id uuid;
    `);
  }
}
