import { Migration } from '@mikro-orm/migrations';

/** The record of a person that an event is about, so that an erasure finds its deliveries. */
export class DeliveryRecords extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      alter table webhooks.deliveries add column record_id uuid;
    `);
  }
}
