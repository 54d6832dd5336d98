import { Migration } from '@mikro-orm/migrations';

/** The latest time of the records of each organization and kind. */
export class RecordTimes extends Migration {
  override up(): void {
    this.addSql(`
      create table agent.record_times (
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        kind text not null, last timestamptz not null, primary key (organization_id, kind)
      );
      insert into agent.record_times select organization_id, 'lead', max(created_at) from agent.leads group by 1;
      insert into agent.record_times select organization_id, 'submission', max(created_at) from agent.form_submissions group by 1;
      insert into agent.record_times select organization_id, 'ticket', max(last_activity_at) from agent.tickets group by 1;
    `);
  }
}
