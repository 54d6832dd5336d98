import { Migration } from '@mikro-orm/migrations';

export class AuditedWebhooks extends Migration {
  override up(): void {
    this.addSql(`
      create trigger audit after insert or delete or update of url, method, events, enabled, secret, about_id, name on webhooks.subscriptions
        for each row execute function identity.audit('webhook', 'id', 'organization_id', 'updated_at', 'failure_count', 'disabled_at',
                                                     'sequence', 'watched_until', 'previous_secret', 'previous_secret_expires_at');
    `);
  }
}
