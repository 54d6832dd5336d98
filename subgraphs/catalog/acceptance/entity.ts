import { Int, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, sql, Table, Tenant } from '../../../platform/database/index.ts';
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
@Table('catalog.acceptance_rules')
export class AcceptanceRule extends columns(Owned, {
  tier: column(enumTypes.ModelType, { type: 'text' }),
  slug: hidden('text'),
  precision: column('double', 'The wanted share of right values, 0 to 1.'),
  version: column('integer', 'Counts the versions for the same attribute, tier and precision, from 1.'),
  threshold: column(Int, { type: 'smallint', description: 'The rule accepts values of at least this score, 0 to 100.' }),
  judged: column('integer', 'Judged values that proved the precision.'),
  right: column('integer', 'How many of the judged values were right.'),
  createdAt: column('datetime', { initial: clock.now }),
  brokenAt: column('datetime', {
    nullable: true,
    description: 'When audits showed that the precision is no longer reached. The rule then accepts nothing more.',
  }),
  brokenSince: column('datetime', {
    nullable: true,
    description:
      'Just before the first value was written that audits put in doubt. Judgments of values that were written until then no longer count.',
  }),
  undoneAt: column('datetime', { nullable: true, description: 'When its acceptances were last undone.' }),
}) {}

/** The lock of new versions, which is shared, and of a break. */
export const rulesLock = ({ organizationId }: { organizationId: string }) => `acceptance rules of ${organizationId}`;

/** The share of covered values that people review all the same, unless an organization chooses another one. */
export const AUDIT_SHARE = 0.05;

/** The defaults of an organization for all jobs. */
@Table('catalog.acceptance_settings')
@Tenant()
export class AcceptanceSettings extends columns({
  organizationId: hidden('uuid', { primary: true }),
  precision: hidden('double', { nullable: true }),
  auditShare: hidden('double', { initial: AUDIT_SHARE }),
}) {}
