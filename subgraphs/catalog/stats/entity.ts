import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Tenant } from '../../../platform/database/index.ts';

export type CounterKind = 'value' | 'confidence' | 'job' | 'review';

/** One part of a count that triggers maintain. The count is the sum of its slots, which avoids contention between transactions. */
@Entity({ schema: 'catalog', tableName: 'counters' })
@Tenant()
export class Counter {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @PrimaryKey({ type: 'text' })
  kind!: CounterKind;

  @PrimaryKey({ type: 'text' })
  key!: string;

  @PrimaryKey({ type: 'smallint' })
  slot!: number;

  @Property({ type: 'bigint', runtimeType: 'number' })
  count!: number;

  @Property({ type: 'decimal', columnType: 'numeric', runtimeType: 'number' })
  sum!: number;
}
