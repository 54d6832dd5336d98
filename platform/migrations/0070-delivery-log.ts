import { Migration } from '@mikro-orm/migrations';

export class DeliveryLog extends Migration {
  override up(): void {
    this.addSql('create index deliveries_by_status on webhooks.deliveries (subscription_id, status, created_at desc, id desc)');
  }
}
