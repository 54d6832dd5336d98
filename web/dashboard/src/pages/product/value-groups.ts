import type { ProductPageQuery } from '../../../.graph/graphql.ts';
import type { Definition } from '../../values/definitions.ts';
import type { ValueType } from '../../values/format.ts';

type Product = ProductPageQuery['product'];
type Stored = Product['values'][number];

/** One attribute of the product, with or without a stored value. */
export interface Line {
  slug: string;
  name: string;
  type: ValueType;
  stored?: Stored;
  /** Absent if the attribute was deleted. */
  definition?: Definition;
  /** Whether the product is incomplete without the value. */
  isExpected: boolean;
  isRequired: boolean;
}

export interface ValueGroup {
  id: string;
  /** Null for the attributes of no set. */
  name: string | null;
  lines: Line[];
}

/**
 * The attributes of a product by set: those of the set of its category first, then those of other sets of which it has values, then the rest.
 * An attribute is in the first of its sets.
 */
export function groupValues(
  product: Product,
  sets: ProductPageQuery['attributeSets'],
  definitions: ReadonlyMap<string, Definition>,
): ValueGroup[] {
  const stored = new Map(product.values.map((value) => [value.slug, value]));
  const expected = new Set(product.completeness.missing.map(({ id }) => id));
  const own = product.categorySummary?.attributeSet?.id;
  const placed = new Set<string>();
  const lineOf = (slug: string, isRequired: boolean): Line => {
    placed.add(slug);
    const [value, definition] = [stored.get(slug), definitions.get(slug)];
    return {
      slug,
      name: definition?.name ?? value?.attributeName ?? slug,
      type: definition?.type ?? value?.attributeType ?? 'text',
      stored: value,
      definition,
      isExpected: definition !== undefined && expected.has(definition.id),
      isRequired,
    };
  };
  const groups = sets
    .filter(
      ({ id, attributeSetAttributes }) => id === own || attributeSetAttributes.some(({ attribute }) => stored.has(attribute.slug)),
    )
    .sort((one, other) => Number(other.id === own) - Number(one.id === own))
    .map(({ id, name, attributeSetAttributes }): ValueGroup => {
      const members = attributeSetAttributes.filter(({ attribute }) => !placed.has(attribute.slug));
      return { id, name, lines: members.map(({ attribute, required }) => lineOf(attribute.slug, required && id === own)) };
    });
  const rest = [...stored.keys(), ...[...definitions.values()].filter(({ isActive }) => isActive).map(({ slug }) => slug)];
  const others = [...new Set(rest)].filter((slug) => !placed.has(slug)).map((slug) => lineOf(slug, false));
  others.sort((one, other) => one.name.localeCompare(other.name));
  return [...groups, { id: 'others', name: null, lines: others }].filter(({ lines }) => lines.length > 0);
}
