import { Migration } from '@mikro-orm/migrations';

export class ConfidenceLabels extends Migration {
  override up(): void {
    this.addSql(`
      -- Whether a value of a job was right, with its confidence before and after calibration.
      create table catalog.confidence_labels (
        item_id uuid not null, slug text not null,
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        tier text not null, stated smallint not null, confidence smallint not null, is_right boolean not null, kind text not null,
        labeled_at timestamptz not null default clock_timestamp(), primary key (item_id, slug)
      );
      create index confidence_labels_newest on catalog.confidence_labels (organization_id, labeled_at desc)
        include (slug, tier, stated, confidence, is_right);
    `);
  }
}
