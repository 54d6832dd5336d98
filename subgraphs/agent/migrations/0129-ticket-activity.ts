import { Migration } from '@mikro-orm/migrations';

/** Pollers sort tickets of a status or of an agent by activity. The tickets of one status are often the oldest ones. */
export class TicketActivity extends Migration {
  override up(): void {
    this.addSql(`
      create index tickets_activity_by_status on agent.tickets (organization_id, status, last_activity_at desc, id desc);
      create index tickets_activity_by_agent on agent.tickets (organization_id, agent_id, last_activity_at desc, id desc);
    `);
  }
}
