import { Float, ID, InputType, ObjectType } from 'type-graphql';
import { findById, query, readRows, sql } from '../../../platform/database/index.ts';
import { field, input, output } from '../../../platform/fields/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Attribute, AttributeSet } from '../attributes/entity.ts';
import { AcceptanceSettings, AUDIT_SHARE } from './entity.ts';

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
