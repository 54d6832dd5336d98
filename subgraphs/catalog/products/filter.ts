import { Float, ID, InputType } from 'type-graphql';
import { type Bind, isId } from '../../../platform/database/index.ts';
import { field, input, list } from '../../../platform/fields/index.ts';
import { containing } from '../../../platform/lists/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import {
  changedGroups,
  compare,
  EXPECTATIONS,
  expected,
  HOLDS,
  isIncomplete,
  isLessComplete,
  largestShare,
  storedGroup,
  storedLevels,
} from '../completeness/expected-values.ts';
import { sameName } from '../labels/subjects.ts';

@InputType({ description: 'An attribute and its value.' })
export class AttributeValueFilter extends input({
  slug: field(String, { minLength: 1, maxLength: 128, description: 'The slug of the attribute.' }),
  value: field(String, {
    minLength: 1,
    maxLength: 1_024,
    description: 'The whole value as text, ignoring case. For a multiselect, one of its labels.',
  }),
}) {}

@InputType({ description: 'Conditions that a product must meet. Omitted fields do not restrict the list.' })
export class ProductFilter extends input({
  ids: list(ID, { maxItems: 1_000, nullable: true }),
  brand: field(String, { maxLength: 128, nullable: true, description: 'Case and surrounding spaces are ignored.' }),
  category: field(String, { maxLength: 1_024, nullable: true, description: 'Case and surrounding spaces are ignored.' }),
  parentId: field(ID, { nullable: true, description: 'The parent of the variants.' }),
  missingAttribute: field(String, {
    minLength: 1,
    maxLength: 128,
    nullable: true,
    description: 'The slug of an attribute for which the product has no value.',
  }),
  attribute: field(AttributeValueFilter, { nullable: true }),
  attributes: list(AttributeValueFilter, { maxItems: 20, nullable: true, description: 'The product has all of these values.' }),
  categoryBelow: field(String, {
    minLength: 1,
    maxLength: 1_024,
    nullable: true,
    description: 'This category, and those below it in the tree of categories. Case is ignored.',
  }),
  words: field(String, {
    maxLength: 256,
    nullable: true,
    description: 'The name or SKU contains each of these words, in any order, ignoring case. At most 16 count.',
  }),
  confidenceBelow: field(Float, {
    min: 0,
    max: 100,
    nullable: true,
    description: 'At least one value that a job wrote has a confidence below this, 0 to 100.',
  }),
  completenessBelow: field(Float, {
    min: 0,
    max: 100,
    nullable: true,
    description:
      'The `percent` of the completeness, rounded to two digits, is below this, 0 to 100. 100 lists all incomplete products.',
  }),
  archived: field(Boolean, { nullable: true, description: 'Lists archived products only. By default, they are left out.' }),
  updatedSince: field(Date, {
    nullable: true,
    description:
      'Changed at this time or later. A change appears when its transaction commits, after its `updatedAt`: a reader who continues from the latest `updatedAt` subtracts 5 minutes.',
  }),
}) {}

/** SQL conditions of a filter on products as `r`. */
export function conditionsOf(filter: ProductFilter, organizationId: string, bind: Bind): string[] {
  const { ids, brand, category, categoryBelow, words, parentId, missingAttribute, attribute, attributes } = filter;
  const { confidenceBelow, completenessBelow, updatedSince, archived } = filter;
  const hash = (text: string) => `array[hashtextextended(${text}, 0)]`;
  const conditions = [
    ids && `r.id = any(${bind(ids.filter(isId))}::uuid[])`,
    brand != null && sameName('brand', brand)(bind),
    category != null && sameName('category', category)(bind),
    categoryBelow != null && isBelow(categoryBelow, organizationId, archived ?? false, bind),
    ...wordsOf(words ?? '').map((word) => nameOrSkuContains(word, bind)),
    parentId != null && (isId(parentId) ? `r.parent_id = ${bind(parentId)}::uuid` : 'false'),
    missingAttribute && `not r.value_keys @> ${hash(`${bind(missingAttribute)}::text`)}`,
    ...[...(attribute ? [attribute] : []), ...(attributes ?? [])].map(
      ({ slug, value }) => `r.value_keys @> ${hash(`${bind(slug)}::text || chr(31) || lower(${bind(value)}::text)`)}`,
    ),
    confidenceBelow != null && `r.lowest_confidence < ${bind(confidenceBelow)}::real`,
    completenessBelow != null && isLessComplete(organizationId, completenessBelow, archived ?? false, bind),
    updatedSince && `r.updated_at >= ${bind(updatedSince)}::timestamptz`,
  ];
  return conditions.filter((each) => typeof each === 'string');
}

/** The length from which the parts of a SKU find it. */
const PART = 5;

/** Matches part of a name or SKU, ignoring case. Each condition reads an index that starts with the organization. */
export function nameOrSkuContains(search: string, bind: Bind): string {
  const pattern = containing(search, bind);
  const inSku = [`lower(r.sku) like ${pattern}`];
  // Lowered within the same neighbors as the pattern, because the letter Σ depends on them.
  if ([...search].length >= PART)
    inSku.push(`catalog.parts_of(lower(r.sku)) @> catalog.parts_of(left(substr(lower(${bind(`%${search}%`)}::text), 2), -1))`);
  return `(lower(r.name) like ${pattern} or (${inSku.join(' and ')}))`;
}

const MAX_WORDS = 16;

/** Whether a filter has words. Blank ones do not restrict the list. */
export const hasWords = ({ words }: ProductFilter): boolean => wordsOf(words ?? '').length > 0;

const wordsOf = (text: string): string[] => [...new Set(text.match(/\S+/g) ?? [])].slice(0, MAX_WORDS);

/**
 * Matches the products of a category and of those below it. The categories are found first, by the tree, so that the index of the products of a
 * category finds the products. Archived products, of which there are few, may have a category that no other product has.
 */
function isBelow(path: string, organizationId: string, isArchived: boolean, bind: Bind): string {
  const start = startOf(path);
  if (isArchived) {
    const levels = `cardinality(catalog.path_of(${bind(start)}::text))`;
    const isWithin = spellings(start, bind).map((key) => `catalog.is_within(r.category, ${key}, ${levels})`);
    return `r.category is not null and (${isWithin.join(' or ')})`;
  }
  return `r.category is not null and catalog.name_key(r.category) = any(array(${categoriesBelow(path, organizationId, bind)}))`;
}

const startOf = (path: string) => {
  const trimmed = path.trim();
  return trimmed.endsWith('>') ? trimmed.slice(0, -1).trimEnd() : trimmed;
};

/** SQL of the keys of a path: as it is written, and as the categories below it name it. */
const spellings = (start: string, bind: Bind) => [
  `catalog.name_key(${bind(start)}::text)`,
  `catalog.name_key(array_to_string(catalog.path_of(${bind(start)}::text), ' > '))`,
];

/** SQL of the keys of a category and of those below it. */
export const categoriesBelow = (path: string, organizationId: string, bind: Bind): string =>
  `select distinct k as key from unnest(array[${spellings(startOf(path), bind).join(', ')}]) top,
       catalog.keys_within(${bind(organizationId)}::uuid, 'category', top) k`;

/** The conditions that all products of a group meet, or none: those of the same category with values of the same attributes. */
export type GroupFilter = Pick<ProductFilter, 'category' | 'categoryBelow' | 'missingAttribute' | 'completenessBelow'>;

/** Divides a filter into the conditions of groups and those of single products. Archived products belong to no group. */
export function divideFilter(filter: ProductFilter): { ofGroups: GroupFilter; ofProducts: ProductFilter } {
  const { archived: _, category, categoryBelow, missingAttribute, completenessBelow, words, ...others } = filter;
  const isNamed = category?.trim();
  return {
    ofGroups: { category: isNamed ? category : null, categoryBelow, missingAttribute, completenessBelow },
    ofProducts: { ...others, category: isNamed ? null : category, words: hasWords(filter) ? words : null },
  };
}

export const isEmpty = (filter: ProductFilter): boolean => Object.values(filter).every((each) => each == null);

/** SQL of groups of products, with their share of the expected values. */
export interface GroupSql {
  /** The common table expressions that the others need. */
  ctes: string;
  /** Each group once: those that meet a condition on the place, in an order. With the order, PostgreSQL reads only the first ones of the index by share. */
  groups: (condition?: string, order?: string) => string;
  /** The same with counts. A group that has changed since the last sweep is in it twice, with the number of products that came or went. */
  counted: string;
  /** The numbers of products by share. */
  levels: string;
}

/** SQL of the groups that meet the conditions of a filter. */
export function matchingGroups(filter: GroupFilter, organizationId: string, bind: Bind): GroupSql {
  const { category, categoryBelow, missingAttribute, completenessBelow } = filter;
  const organization = `${bind(organizationId)}::uuid`;
  const all = (...conditions: string[]) => conditions.filter((each) => each !== '').join(' and ') || 'true';
  const ofCategory = all(
    category != null ? `category = catalog.category_of(${bind(category)}::text)` : '',
    categoryBelow != null ? `category = any(array(${categoriesBelow(categoryBelow, organizationId, bind)}))` : '',
  );
  const isOfAll = category == null && categoryBelow == null;
  const isMissing = missingAttribute ? `${bind(missingAttribute)}::text <> all(slugs)` : 'true';
  const isLess =
    completenessBelow == null
      ? 'true'
      : `${isIncomplete(completenessBelow, bind)} and share <= ${bind(largestShare(completenessBelow))}::float8`;
  const stored = `select category, shape, share, count from catalog.filled_groups
    where organization_id = ${organization} and ${HOLDS} and ${ofCategory} and ${isMissing} and ${isLess}`;
  const levels = `select share, count from (${storedLevels(organization, isOfAll ? undefined : ofCategory)}) l where ${isLess}`;
  return {
    ctes: `${expected(organization)}, ${compare(changedGroups(organization, `${ofCategory} and ${isMissing}`))},
      changed as materialized (select category, shape, share, count from groups where ${isLess})`,
    groups: (condition = 'true', order = '') => `
      (${stored} and ${condition} ${order}) union all (
        select * from changed c where ${condition} and ${storedGroup(organization, 'c.category', 'c.shape', 'true')} is null ${order})
      ${order}`,
    counted: `${stored} union all select * from changed`,
    levels: `${missingAttribute ? `select share, count from (${stored}) g` : levels} union all select share, count from changed`,
  };
}

/** SQL condition of the products `r` of a group `g`. With the organization and `not r.archived`, an index finds them. */
export const isOfGroup = 'catalog.category_of(r.category) = g.category and r.shape = g.shape';

/** The number of products that are not archived and meet the conditions. */
export async function countOfGroups({ services, organizationId, signal, budget }: Scope, filter: GroupFilter): Promise<number> {
  const values: unknown[] = [];
  const { ctes, levels } = matchingGroups(filter, organizationId, (value) => `$${values.push(value)}`);
  const text = `with ${ctes} select coalesce(sum(count), 0)::float8 as count from (${levels}) l`;
  const { rows } = await services.statements.run<{ count: number }>({ text, values }, signal, budget);
  return rows[0]!.count;
}

/** A hash of the attributes that the products need. It changes with attributes and sets, which change no product. */
export async function expectationsOf({ services, organizationId, signal, budget }: Scope): Promise<string> {
  const statement = { name: 'expected values', text: EXPECTATIONS, values: [organizationId] };
  const { rows } = await services.statements.run<{ hash: string }>(statement, signal, budget);
  return rows[0]!.hash;
}
