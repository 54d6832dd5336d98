import { Migration } from '@mikro-orm/migrations';

/** Conversations belong to a contact, and the records of a contact are listed newest first. */
export class ContactRecords extends Migration {
  override up(): void {
    this.addSql(`
      set local statement_timeout = 0;
      alter table agent.conversations add column contact_id uuid references agent.contacts on delete set null;
      update agent.conversations c set contact_id = found.contact_id
        from (select distinct on (conversation_id) conversation_id, contact_id from (
                select conversation_id, contact_id, created_at from agent.leads
                union all select conversation_id, contact_id, created_at from agent.tickets where contact_id is not null) records
               where conversation_id is not null order by conversation_id, created_at desc) found
       where found.conversation_id = c.id;
      create index conversations_of_contact on agent.conversations (contact_id, created_at desc, id desc) where contact_id is not null;
      drop index agent.leads_contact;
      create index leads_of_contact on agent.leads (contact_id, created_at desc, id desc);
      drop index agent.tickets_contact;
      create index tickets_of_contact on agent.tickets (contact_id, created_at desc, id desc) where contact_id is not null;
    `);
  }
}
