import { Migration } from '@mikro-orm/migrations';

export class AgentLimits extends Migration {
  override up(): void {
    this.addSql(`
      alter table agent.agents add column daily_credit_limit integer not null default 1000, add column retention_days integer;
    `);
  }
}
