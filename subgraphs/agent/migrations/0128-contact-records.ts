import { Migration } from '@mikro-orm/migrations';

/** Conversations belong to a contact. */
export class ContactRecords extends Migration {
  override up(): void {
    this.addSql('alter table agent.conversations add column contact_id uuid references agent.contacts on delete set null');
  }
}
