import { Migration } from '@mikro-orm/migrations';

/** The records of a contact are listed newest first. */
export class ContactIndexes extends Migration {
  override up(): void {
    this.addSql(`
      create index conversations_of_contact on agent.conversations (contact_id, created_at desc, id desc) where contact_id is not null;
      create index leads_of_contact on agent.leads (contact_id, created_at desc, id desc);
      create index tickets_of_contact on agent.tickets (contact_id, created_at desc, id desc) where contact_id is not null;
      drop index agent.leads_contact;
      drop index agent.tickets_contact;
    `);
  }
}
