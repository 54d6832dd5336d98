import { Migration } from '@mikro-orm/migrations';

/** Why a job is paused. It is null for jobs that paused before this migration. */
export class PauseReasons extends Migration {
  override up(): void {
    this.addSql('alter table catalog.jobs add column pause_reason text');
  }
}
