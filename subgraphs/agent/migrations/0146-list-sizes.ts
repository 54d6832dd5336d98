import { Migration } from '@mikro-orm/migrations';
import { countRowsOf } from '../../../platform/migrations/0145-row-counts.ts';

/** Sizes of the lists of conversations, contacts and handoffs. */
export class ListSizes extends Migration {
  override up(): void {
    this.addSql(`
      ${countRowsOf({ table: 'agent.conversations', list: 'conversations', by: ['agent_id', 'status', 'channel', 'handoff_status'] })}
      ${countRowsOf({ table: 'agent.contacts', list: 'contacts' })}
      ${countRowsOf({ table: 'agent.handoffs', list: 'handoffs', by: ['agent_id', 'status'] })}
    `);
  }
}
