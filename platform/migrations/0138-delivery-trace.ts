import { Migration } from '@mikro-orm/migrations';

/** Carries the trace of an event to the attempts that deliver it. */
export class DeliveryTrace extends Migration {
  override up(): void {
    this.addSql(`alter table webhooks.deliveries add column trace text;`);
  }
}
