import { PartitioningMigration } from '../../../platform/migrations/partitioning.ts';

/** Weeks of changes are dropped, because deletions could not follow the growth of the table. */
export class OrganizationChangePartitions extends PartitioningMigration {
  protected readonly unpartitioned = {
    schema: 'catalog',
    table: 'organization_changes',
    key: ['organization_id', 'sequence'],
    reference: { column: 'organization_id', table: 'identity.organizations' },
    triggers: {},
  };
}
