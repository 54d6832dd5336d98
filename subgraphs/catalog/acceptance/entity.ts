import { Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import {
  clock,
  column,
  columns,
  findById,
  hidden,
  Owned,
  query,
  readRows,
  sql,
  Table,
  Tenant,
} from '../../../platform/database/index.ts';
import { field, input, output } from '../../../platform/fields/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Attribute, AttributeSet } from '../attributes/entity.ts';

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
const AUDIT_SHARE = 0.05;

/** The defaults of an organization for all jobs. */
@Table('catalog.acceptance_settings')
@Tenant()
export class AcceptanceSettings extends columns({
  organizationId: hidden('uuid', { primary: true }),
  precision: hidden('double', { nullable: true }),
  auditShare: hidden('double', { initial: AUDIT_SHARE }),
}) {}

const PRECISION =
  'The wanted share of right values among those that are accepted without a person, 0.5 to 1. With 1, none is accepted.';

@InputType({ description: 'Accept values without a person.' })
export class AutoAccept extends input({
  precision: field(Float, { min: 0.5, max: 1, description: PRECISION }),
}) {}

@InputType({ description: 'A default for later jobs: of an attribute, of an attribute set, or else of the organization.' })
export class AutoAcceptDefault extends input({
  attributeId: field(ID, { nullable: true, description: 'Takes precedence over the attribute set and the organization.' }),
  attributeSetId: field(ID, { nullable: true, description: 'Takes precedence over the organization.' }),
  precision: field(Float, {
    min: 0.5,
    max: 1,
    nullable: true,
    description: `${PRECISION} Null removes the default; omitted keeps it.`,
  }),
  auditShare: field(Float, {
    min: 0.01,
    max: 0.5,
    nullable: true,
    description:
      'The share of covered values that people review all the same, 0.01 to 0.5. Only for the organization; omitted keeps it.',
  }),
}) {}

@ObjectType({ description: 'The defaults of the organization for values that are accepted without a person.' })
export class AcceptanceDefaults extends output({
  precision: field(Float, {
    nullable: true,
    description: 'The default of `autoAccept.precision`. Null means that nothing is accepted.',
  }),
  auditShare: field(Float, 'The share of covered values that people review all the same.'),
}) {}

export async function readDefaults(scope: Scope): Promise<AcceptanceDefaults> {
  const [found] = await readRows(scope, AcceptanceSettings, {});
  return { precision: found?.precision ?? null, auditShare: found?.auditShare ?? AUDIT_SHARE };
}

/** Throws `NOT_FOUND` for an unknown attribute or set, and `INVALID_INPUT` if the default concerns several things. */
export async function setDefault(scope: Scope, change: AutoAcceptDefault): Promise<AcceptanceDefaults> {
  const { attributeId, attributeSetId, precision, auditShare = null } = change;
  if (attributeId && attributeSetId) throw fail('INVALID_INPUT', 'a default belongs to an attribute or to an attribute set');
  if ((attributeId || attributeSetId) && auditShare !== null) throw fail('INVALID_INPUT', 'auditShare belongs to the organization');
  await ensureSettings(scope);
  const { em, organizationId } = scope;
  if (attributeId || attributeSetId) {
    const holder = attributeId
      ? await findById(em, Attribute, attributeId, 'Attribute')
      : await findById(em, AttributeSet, attributeSetId!, 'Attribute set');
    if (precision !== undefined) holder.autoAccept = precision;
    await em.flush();
  } else {
    await query(
      em,
      sql`update catalog.acceptance_settings set precision = case when ${precision !== undefined} then ${precision ?? null}::float8 else precision end,
                 audit_share = coalesce(${auditShare}::float8, audit_share)
           where organization_id = ${organizationId}`,
    );
  }
  return readDefaults(scope);
}

/** Creates the settings, whose salt decides about audits, before the first rule can accept a value. */
export const ensureSettings = ({ em, organizationId }: Scope) =>
  query(em, sql`insert into catalog.acceptance_settings (organization_id) values (${organizationId}) on conflict do nothing`);
