import { ObjectType } from 'type-graphql';
import { field, output, refuseFaults } from '../../../platform/fields/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { withoutNulls } from '../enrichment/ask-model.ts';
import { checkValue } from '../extraction/constraints.ts';
import type { AttributeValue } from './attribute-content.ts';
import { Attribute } from './entity.ts';
import { attributeFaults } from './value-faults.ts';

@ObjectType({ description: 'A value that does not meet the limits of its attribute.' })
export class ValueFault extends output({
  slug: field(String, 'The slug of the attribute.'),
  message: field(String, 'A sentence with the broken limit.'),
}) {}

type Values = Readonly<Record<string, Partial<AttributeValue>>>;

/** The limits that values of a caller break. Values without an attribute of their slug and type have none. */
export async function valueFaults(scope: Scope, map: unknown): Promise<ValueFault[]> {
  refuseFaults(attributeFaults(map, 'values').take(5).toArray());
  const values = map as Values;
  return (await readLimits(scope, Object.keys(values)))(values);
}

/** Reads the limits of product attributes, and returns the check of values by them. */
export async function readLimits({ em }: Scope, slugs: readonly string[]): Promise<(values: Values) => ValueFault[]> {
  const found = await em.find(Attribute, { subject: 'product', slug: { $in: [...new Set(slugs)] } });
  return (values) =>
    found.flatMap(({ slug, name, type, options, constraints }) => {
      const { attributeType, value } = (Object.hasOwn(values, slug) && values[slug]) || {};
      // A date may also have a time, which jobs do not write.
      if (attributeType !== type || type === 'date') return [];
      const fault = checkValue({ type, options, constraints: withoutNulls(constraints) }, value);
      return fault ? [{ slug, message: `${name} ${fault}.` }] : [];
    });
}
