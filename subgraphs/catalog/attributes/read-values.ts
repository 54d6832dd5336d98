import { query, sql } from '../../../platform/database/index.ts';
import { refuseFaults } from '../../../platform/fields/index.ts';
import { cleanAll } from '../../../platform/reading/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { AttributeValue, AttributeValues } from './attribute-content.ts';
import { attributeFaults } from './value-faults.ts';

type ValueInput = Record<string, Partial<AttributeValue>>;

/**
 * Reads maps of attribute values from a caller and sanitizes their HTML. A missing `attributeId` or `attributeName` is taken from
 * the attribute of that slug, of a product by default. Throws `INVALID_INPUT` naming up to five faults.
 */
export async function readAttributeValues(
  scope: Scope,
  maps: readonly unknown[],
  { path = 'attributes', subject = 'product', clean = (texts: string[]) => cleanAll(scope.organizationId, texts) } = {},
): Promise<AttributeValues[]> {
  refuseFaults(maps.flatMap((map) => attributeFaults(map, path).take(5).toArray()));
  const given = maps as readonly ValueInput[];
  const definitions = await definitionsOf(scope, subject, given);
  const read: AttributeValues[] = [];
  const html: { value: string; into: AttributeValue }[] = [];
  for (const map of given) {
    const values: AttributeValues = {};
    for (const [key, { attributeId, attributeName, attributeType, value }] of Object.entries(map)) {
      const { id = null, name = key } = definitions.get(key) ?? {};
      values[key] = {
        attributeId: attributeId === undefined ? id : attributeId,
        attributeName: attributeName ?? name,
        attributeType: attributeType!,
        value: value!,
      };
      if (attributeType === 'html' && typeof value === 'string') html.push({ value, into: values[key] });
    }
    read.push(values);
  }
  const cleaned = await clean(html.map(({ value }) => value));
  for (const [at, { into }] of html.entries()) into.value = cleaned[at]!;
  return read;
}

/** The attributes of all incomplete values, by slug. */
async function definitionsOf({ em, organizationId }: Scope, subject: string, maps: readonly ValueInput[]) {
  const isIncomplete = ([, value]: [string, Partial<AttributeValue>]) =>
    value.attributeId === undefined || value.attributeName === undefined;
  const slugs = [
    ...new Set(
      maps.flatMap((map) =>
        Object.entries(map)
          .filter(isIncomplete)
          .map(([key]) => key),
      ),
    ),
  ];
  if (slugs.length === 0) return new Map<string, Definition>();
  const found = await query(
    em,
    sql<Definition>`select id, slug, name from catalog.attributes
         where organization_id = ${organizationId} and subject = ${subject} and slug = any(${slugs}::text[])`,
  );
  return new Map(found.map((each) => [each.slug, each]));
}

interface Definition {
  id: string;
  slug: string;
  name: string;
}
