import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { type Tally, Tenant } from '../database/index.ts';

/** Part of the size of a list that triggers maintain. */
@Entity({ schema: 'identity', tableName: 'row_counts' })
@Tenant()
export class RowCount {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @PrimaryKey({ type: 'text' })
  list!: string;

  /** The values by which the rows are counted apart, in the order of the migration. */
  @PrimaryKey({ type: 'array', columnType: 'text[]' })
  key!: (string | null)[];

  @PrimaryKey({ type: 'smallint' })
  slot!: number;

  @Property({ type: 'bigint', runtimeType: 'number' })
  count!: number;
}

/** The size of a list. Values that are absent do not restrict it. */
export function sizeOf(list: string, values: (string | null | undefined)[] = []): Tally<RowCount> {
  const wanted = values.flatMap((value, at) => (value == null ? [] : [{ value, at: at + 1 }]));
  return {
    entity: RowCount,
    sum: 'count',
    where: { list },
    ...(wanted.length > 0 && {
      matching: (bind) => wanted.map(({ value, at }) => `r."key"[${at}] = ${bind(value)}`).join(' and '),
    }),
  };
}
