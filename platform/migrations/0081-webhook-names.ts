import { Migration } from '@mikro-orm/migrations';

export class WebhookNames extends Migration {
  override up(): void {
    this.addSql(`
      alter table webhooks.subscriptions add column name varchar(255), add column previous_secret bytea,
        add column previous_secret_expires_at timestamptz;
      create index subscriptions_about on webhooks.subscriptions (about_id) where about_id is not null;
    `);
  }
}
