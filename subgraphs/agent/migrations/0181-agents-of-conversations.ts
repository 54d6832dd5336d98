import { Migration } from '@mikro-orm/migrations';

/** Checks the agent of a new conversation before its charge. At the commit, it would wait for a deletion while it locks the organization. */
export class AgentsOfConversations extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      alter table agent.conversations alter constraint conversations_agent_id_fkey deferrable initially immediate;
    `);
  }
}
