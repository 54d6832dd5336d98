import { Migration } from '@mikro-orm/migrations';

/** Whether a process other than the writing one reads along. Only such replies notify, because notifying commits run one by one. */
export class WatchedReplies extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      alter table agent.messages add column watched boolean not null default false;
    `);
  }
}
