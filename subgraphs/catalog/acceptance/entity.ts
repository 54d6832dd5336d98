import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Int, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned, sql, Tenant } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

/** The slug of a rule of all attributes with few judgments. */
export const POOL = '';

/**
 * Only labels count that can make a measured precision too low, but never too high. A review of a single value counts. A bulk acceptance does
 * not, because nobody may have looked at the values; a bulk rejection does. Of edits only wrong values count, because a caller that sends all
 * values again has judged none. Validations do not count, because a model judges them.
 */
export const IS_JUDGED = sql`(kind = 'review' or not is_right and kind in ('bulk', 'edit'))`;

@ObjectType({ description: 'One version of a rule that accepts values without a person.' })
@Entity({ schema: 'catalog', tableName: 'acceptance_rules' })
export class AcceptanceRule extends Owned {
  @FieldProperty(() => enumTypes.ModelType, { type: 'text' })
  tier!: EnumValue<'ModelType'>;

  @Property({ type: 'text' })
  slug!: string;

  @FieldProperty({ type: 'double', description: 'The wanted share of right values, 0 to 1.' })
  precision!: number;

  @FieldProperty({ type: 'integer', description: 'Counts the versions for the same attribute, tier and precision, from 1.' })
  version!: number;

  @FieldProperty(() => Int, { type: 'smallint', description: 'The rule accepts values of at least this score, 0 to 100.' })
  threshold!: number;

  @FieldProperty({ type: 'integer', description: 'Judged values that proved the precision.' })
  judged!: number;

  @FieldProperty({ type: 'integer', description: 'How many of the judged values were right.' })
  right!: number;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({
    type: 'datetime',
    nullable: true,
    description: 'When audits showed that the precision is no longer reached. The rule then accepts nothing more.',
  })
  brokenAt: Date | null = null;

  @FieldProperty({
    type: 'datetime',
    nullable: true,
    description:
      'Just before the first value was written that audits put in doubt. Judgments of values that were written until then no longer count.',
  })
  brokenSince: Date | null = null;

  @FieldProperty({ type: 'datetime', nullable: true, description: 'When its acceptances were last undone.' })
  undoneAt: Date | null = null;
}

/** The lock of new versions, which is shared, and of a break. */
export const rulesLock = ({ organizationId }: { organizationId: string }) => `acceptance rules of ${organizationId}`;

/** The share of covered values that people review all the same, unless an organization chooses another one. */
export const AUDIT_SHARE = 0.05;

/** The defaults of an organization for all jobs. */
@Entity({ schema: 'catalog', tableName: 'acceptance_settings' })
@Tenant()
export class AcceptanceSettings {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @Property({ type: 'double', nullable: true })
  precision: number | null = null;

  @Property({ type: 'double' })
  auditShare: Opt<number> = AUDIT_SHARE;
}
