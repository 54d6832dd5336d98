import { Migration } from '@mikro-orm/migrations';

/** Deletes the tool calls of a deleted conversation, because they contain what its visitor said. */
export class CallsOfConversations extends Migration {
  override up(): void {
    this.addSql(`
      create function agent.conversation_deleted() returns trigger language plpgsql as $$
      begin
        delete from agent.tool_calls c using deleted d where c.conversation_id = d.id;
        return null;
      end $$;
      create trigger deleted after delete on agent.conversations referencing old table as deleted
        for each statement execute function agent.conversation_deleted();
    `);
  }
}
