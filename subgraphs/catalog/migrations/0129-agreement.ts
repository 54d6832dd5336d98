import { Migration } from '@mikro-orm/migrations';

/** Jobs that read twice, and jobs that pause when the values that they find are too uncertain. */
export class Agreement extends Migration {
  override up(): void {
    this.addSql(`
      alter table catalog.jobs
        add column agreement boolean not null default false, add column min_confidence double precision,
        add column value_count integer not null default 0, add column confidence_sum double precision not null default 0;
    `);
  }
}
