import { Migration } from '@mikro-orm/migrations';

/** Assigns existing conversations to the contact of their newest record. Conversations stay readable and writable meanwhile. */
export class ContactsOfConversations extends Migration {
  override up(): void {
    this.addSql(`
      update agent.conversations c set contact_id = found.contact_id
        from (select distinct on (conversation_id) conversation_id, contact_id from (
                select conversation_id, contact_id, created_at from agent.leads where contact_id is not null
                union all select conversation_id, contact_id, created_at from agent.tickets where contact_id is not null) records
               where conversation_id is not null order by conversation_id, created_at desc) found
       where found.conversation_id = c.id and c.contact_id is null;
    `);
  }
}
