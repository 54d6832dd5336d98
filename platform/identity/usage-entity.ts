import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Tenant } from '../database/index.ts';

/** The credits that an organization used on one UTC day for one kind of work. */
@Entity({ schema: 'identity', tableName: 'credit_usage' })
@Tenant()
export class CreditUsageDay {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @PrimaryKey({ type: 'date' })
  day!: string;

  @PrimaryKey({ type: 'text' })
  kind!: string;

  @Property({ type: 'decimal', precision: 16, scale: 4, runtimeType: 'number' })
  credits!: number;

  @Property({ type: 'bigint', runtimeType: 'number' })
  charges!: number;

  @Property({ type: 'bigint', runtimeType: 'number' })
  refunds!: number;
}
