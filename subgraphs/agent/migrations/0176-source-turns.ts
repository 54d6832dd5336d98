import { Migration } from '@mikro-orm/migrations';

/** When a source was queued, for the order of turns, and the progress of a discovery between its requests. */
export class SourceTurns extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      alter table agent.sources add column queued_at timestamptz not null default now();
      create table agent.source_discoveries (
        source_id uuid primary key references agent.sources on delete cascade deferrable initially deferred,
        run integer not null, robots text not null, pending text[] not null, seen text[] not null,
        request_ms integer not null, check_ms integer not null
      );
    `);
  }
}
