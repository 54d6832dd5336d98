import { Migration } from '@mikro-orm/migrations';

/** Counts the leases of a delivery that expired without a result, so that it does not end one process after the other. */
export class DeliveryLosses extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      alter table webhooks.deliveries add column losses integer not null default 0;
    `);
  }
}
