import { Migration } from '@mikro-orm/migrations';

export class AnswerChecks extends Migration {
  override up(): void {
    this.addSql(`
      alter table agent.messages add column unanswered boolean not null default false, add column unsupported jsonb not null default '[]';
      create index messages_unanswered on agent.messages (organization_id, created_at desc, id desc) where unanswered;
    `);
  }
}
