import { PartitioningMigration } from '../../../platform/migrations/partitioning.ts';

/** The log of jobs is the table with the most rows. Weeks are dropped, because deletions could not follow its growth. */
export class JobChangePartitions extends PartitioningMigration {
  protected readonly unpartitioned = {
    schema: 'catalog',
    table: 'job_changes',
    key: ['job_id', 'sequence'],
    reference: { column: 'job_id', table: 'catalog.jobs' },
    triggers: {
      changed: 'create trigger changed after insert on catalog.job_changes for each row execute function catalog.job_changed()',
      appended: `create constraint trigger appended after insert on catalog.job_changes deferrable initially deferred
                   for each row execute function catalog.job_change_appended()`,
    },
  };
}
