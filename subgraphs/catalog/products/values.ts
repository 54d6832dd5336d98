import { Field, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import { readRows } from '../../common/rows.ts';
import type { RequestScope } from '../../common/scope.ts';
import { Attribute } from '../attributes/entity.ts';
import { ProvenanceType } from '../attributes/value-types.ts';
import { AttributeContentScalar, type AttributeType, type AttributeValue } from '../attributes/values.ts';
import * as details from './details.ts';
import type { Product } from './entity.ts';

@ObjectType({ description: 'A value of a product with its unit and its evidence.' })
export class ProductValue {
  @Field(() => String, { description: 'The slug of the attribute.' })
  slug!: string;

  @Field(() => String, { description: 'The name of the attribute.' })
  attributeName!: string;

  @Field(() => wordTypes.AttributeType)
  attributeType!: AttributeType;

  @Field(() => AttributeContentScalar)
  value!: NonNullable<AttributeValue['value']>;

  @Field(() => String, { nullable: true, description: 'The unit of the attribute, if it has one.' })
  unit!: string | null;

  @Field(() => ProvenanceType, { nullable: true, description: 'The origin of the value; null if a caller of the API wrote it.' })
  evidence!: ProvenanceType | null;
}

const UNIT_COLUMNS = ['slug', 'unit'] as const;

/** The values that are not null, sorted by name. */
export async function valuesOf(scope: RequestScope, { id, organizationId }: Product): Promise<ProductValue[]> {
  const own = scope.within(organizationId);
  const [attributes, provenance, units] = await Promise.all([
    details.attributesOf(own, id),
    details.provenanceOf(own, id),
    unitsOf(own),
  ]);
  const sorted = Object.entries(attributes).sort(([, a], [, b]) => a.attributeName.localeCompare(b.attributeName, 'en'));
  return sorted.flatMap(([slug, { attributeName, attributeType, value }]) => {
    const origin = Object.hasOwn(provenance, slug) ? provenance[slug] : undefined;
    const evidence = origin ? { slug, ...origin } : null;
    return value === null ? [] : [{ slug, attributeName, attributeType, value, unit: units.get(slug) ?? null, evidence }];
  });
}

/** The unit of each product attribute that has one, by slug. Products of one request share the query. */
async function unitsOf(scope: RequestScope): Promise<ReadonlyMap<string, string>> {
  const read = scope.batch('attribute units', async ([organizationId]) => {
    const found = await readRows(scope, Attribute, { columns: UNIT_COLUMNS, where: { subject: 'product' } });
    return new Map([[organizationId!, new Map(found.flatMap(({ slug, unit }) => (unit ? [[slug, unit] as const] : [])))]]);
  });
  return (await read(scope.organizationId)) ?? new Map();
}
