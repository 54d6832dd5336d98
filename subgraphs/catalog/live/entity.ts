import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Tenant } from '../../../platform/database/index.ts';

/** One change of a job, of the credits or of the review queue of an organization. Triggers write them in the order of their commits. */
@Entity({ schema: 'catalog', tableName: 'organization_changes' })
@Tenant()
export class OrganizationChange {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @PrimaryKey({ type: 'bigint', runtimeType: 'number' })
  sequence!: number;

  @Property({ type: 'uuid', nullable: true })
  jobId: string | null = null;

  @Property({ type: 'datetime' })
  at!: Date;
}
