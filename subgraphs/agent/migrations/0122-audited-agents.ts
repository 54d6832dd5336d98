import { Migration } from '@mikro-orm/migrations';

export class AuditedAgents extends Migration {
  override up(): void {
    this.addSql(`
      create trigger audit after insert or update or delete on agent.agents
        for each row execute function identity.audit('agent', 'id', 'organization_id', 'updated_at');
      create trigger audit after insert or update or delete on agent.tools
        for each row execute function identity.audit('tool', 'id', 'organization_id', 'updated_at');
      create trigger audit after insert or update or delete on agent.secrets
        for each row execute function identity.audit('secret', 'id', 'organization_id', 'updated_at');
    `);
  }
}
