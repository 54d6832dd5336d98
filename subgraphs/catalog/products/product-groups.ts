import type { Bind } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { EXPECTATIONS, expected, groups } from '../completeness/expected-values.ts';
import { categoriesBelow, hasWords, type ProductFilter } from './filter.ts';

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

/** SQL of the groups that meet the conditions, as `matching`, with their share of the expected values; 2 if none is expected. */
export function matchingGroups(filter: GroupFilter, organizationId: string, bind: Bind): string {
  const { category, categoryBelow, missingAttribute, completenessBelow } = filter;
  const organization = `${bind(organizationId)}::uuid`;
  const stored = [
    category != null && `category = catalog.category_of(${bind(category)}::text)`,
    categoryBelow != null && `category = any(array(${categoriesBelow(categoryBelow, organizationId, bind)}))`,
    missingAttribute && `${bind(missingAttribute)}::text <> all(slugs)`,
  ];
  const isLess = completenessBelow != null ? `filled * 100 < expected * ${bind(completenessBelow)}::real` : 'true';
  return `${expected(organization)}, ${groups(organization, ['true', ...stored.filter(Boolean)].join(' and '))},
    matching as (select category, shape, count, coalesce(filled::float8 / nullif(expected, 0), 2) as share from groups where ${isLess})`;
}

/** SQL condition of the products `r` of a group `g`. With the organization and `not r.archived`, an index finds them. */
export const isOfGroup = 'catalog.category_of(r.category) = g.category and r.shape = g.shape';

/** The number of products that are not archived and meet the conditions. */
export async function countOfGroups({ services, organizationId, signal, budget }: Scope, filter: GroupFilter): Promise<number> {
  const values: unknown[] = [];
  const ctes = matchingGroups(filter, organizationId, (value) => `$${values.push(value)}`);
  const text = `with ${ctes} select coalesce(sum(count), 0)::float8 as count from matching`;
  const { rows } = await services.statements.run<{ count: number }>({ text, values }, signal, budget);
  return rows[0]!.count;
}

/** A hash of the attributes that the products need. It changes with attributes and sets, which change no product. */
export async function expectationsOf({ services, organizationId, signal, budget }: Scope): Promise<string> {
  const statement = { name: 'expected values', text: EXPECTATIONS, values: [organizationId] };
  const { rows } = await services.statements.run<{ hash: string }>(statement, signal, budget);
  return rows[0]!.hash;
}
