import { Migration } from '@mikro-orm/migrations';

/** Carries the trace of a request to the workflow that it starts. */
export class OutboxTrace extends Migration {
  override up(): void {
    this.addSql(`alter table identity.outbox add column trace text;`);
  }
}
