import type { Bind } from '../../../platform/database/index.ts';

/**
 * A product is complete when it has a value for each expected attribute: those of the attribute set of its category, or all active attributes
 * if its category has no set. Only a set can require attributes.
 *
 * SQL of the expected slugs: `sets` has them by category, `usual` those of all other categories, `current` a hash of both.
 * @param organization SQL of the id of the organization
 */
export const expected = (organization: string) => `
  slugs_of_set as (
    select p.attribute_set_id, array_agg(a.slug order by a.slug) as slugs,
           coalesce(array_agg(a.slug order by a.slug) filter (where p.required), '{}') as required
      from catalog.attribute_set_attributes p join catalog.attributes a on a.id = p.attribute_id and a.is_active
     where p.attribute_set_id in (select attribute_set_id from catalog.category_sets where organization_id = ${organization}) group by 1),
  sets as (
    select s.category, s.attribute_set_id, w.slugs, w.required from catalog.category_sets s join slugs_of_set w using (attribute_set_id)
     where s.organization_id = ${organization}),
  usual as (
    select coalesce(array_agg(slug order by slug), '{}') as slugs, '{}'::text[] as required from catalog.attributes
     where organization_id = ${organization} and subject = 'product' and is_active),
  current as materialized (
    select hashtextextended(concat_ws(' ', usual::text, (select string_agg(w::text, ' ' order by attribute_set_id) from slugs_of_set w),
      (select string_agg(concat(category, attribute_set_id), ' ' order by category) from sets)), 0) as hash from usual)`;

/** SQL of one row, a hash of the values that the products of an organization need. Totals that depend on completeness change with it. */
export const EXPECTATIONS = `with ${expected('$1')} select hash::text as hash from current`;

/** SQL of the slugs of one product as `e`, after a left join of `sets`. */
export const EXPECTED =
  '(select coalesce(sets.slugs, usual.slugs) as slugs, coalesce(sets.required, usual.required) as required) e';

/** SQL of the number of slugs that both arrays have. It hashes the second one: a search for each slug would take quadratic time. */
export const shared = (slugs: string, wanted: string) =>
  `(select count(*) from unnest(${slugs}) s where s in (select unnest(${wanted})))`;

/** The set of a category, or zeros. */
const EXPECTATION = `coalesce(sets.attribute_set_id, '00000000-0000-0000-0000-000000000000')`;

/** SQL conditions of groups whose stored completeness holds, and of those for which none holds. */
export const HOLDS = 'slot = 0 and expectations = (select hash from current)';
const HOLDS_NOT = [
  'slot > 0',
  'slot = 0 and expectations < (select hash from current)',
  'slot = 0 and expectations > (select hash from current)',
];

/** SQL of the groups for which no stored completeness holds, after `expected`. */
export const changedGroups = (organization: string, condition = 'true', columns = 'category, shape, slugs, count') =>
  HOLDS_NOT.map(
    (holdsNot) =>
      `select ${columns} from catalog.filled_groups where organization_id = ${organization} and ${holdsNot} and ${condition}`,
  ).join(' union all ');

/** SQL of the share of the expected values, from `filled` and `expected`. It is 2 if none is expected, so that these are the last products of the order. */
export const SHARE = 'coalesce(filled::float8 / nullif(expected, 0), 2)';

/**
 * SQL of groups of products with their numbers of filled and expected values, as `groups`, from rows of category, shape, slugs and count. Each shape is compared
 * once with each expectation. The full joins, which the offsets keep, are those of hashes: PostgreSQL would compare each group with each set and each shape while
 * it has no statistics of new groups.
 */
export const compare = (rows: string) => `
  counted as materialized (
    select category, shape, ${EXPECTATION} as expectation, min(slugs) as slugs, sum(count)::bigint as count
      from (select category, shape, g.slugs, count, attribute_set_id from (${rows}) g full join sets using (category) offset 0) sets
     where shape is not null group by 1, 2, 3),
  shapes as materialized (
    select d.shape, d.expectation, ${shared('d.filled', 'e.slugs')} as filled, cardinality(e.slugs) as expected,
           ${shared('d.filled', 'e.required')} as filled_required, cardinality(e.required) as expected_required
      from (
        select d.shape, d.expectation, d.filled, sets.slugs, sets.required
          from (select shape, expectation, min(slugs) as filled from counted group by 1, 2) d
          full join slugs_of_set sets on sets.attribute_set_id = d.expectation offset 0) d cross join usual
     cross join lateral (select coalesce(d.slugs, usual.slugs) as slugs, coalesce(d.required, usual.required) as required) e
     where d.shape is not null),
  groups as (
    select category, shape, slugs, count, filled, expected, filled_required, expected_required, ${SHARE} as share
      from counted full join shapes using (shape, expectation) offset 0)`;

/**
 * SQL of a column of the group of a category and a shape, if its stored completeness holds. Only the primary key finds it: the expression of the slot excludes
 * the index by share, which PostgreSQL would read for each product while its statistics are those of few groups.
 */
export const storedGroup = (organization: string, category: string, shape: string, column: string) => `(
  select ${column} from catalog.filled_groups g where g.organization_id = ${organization} and g.category = ${category} and g.shape = ${shape}
     and g.slot + 0 = 0 and g.expectations = (select hash from current))`;

/** The category under which the completeness of the whole catalog is stored. */
export const WHOLE = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** SQL of the stored numbers of products by completeness, after `expected`: of the whole catalog, or of categories that meet a condition. */
export const storedLevels = (organization: string, ofCategory = `category = '${WHOLE}'`) => `
  select category, count, filled, expected, filled_required, expected_required, ${SHARE} as share from catalog.completeness_levels
   where organization_id = ${organization} and ${ofCategory} and expectations = (select hash from current)`;

/** SQL of the numbers of products by completeness, as `levels`: the stored ones and those of changed groups. */
export const levels = (organization: string, ofCategory?: string) => `
  ${expected(organization)}, ${compare(changedGroups(organization, ofCategory))},
  levels as (
    ${storedLevels(organization, ofCategory)}
    union all select category, count, filled, expected, filled_required, expected_required, share from groups)`;

/** The share of the expected values as a percentage, as it is shown: with two digits, in integers, as SQL compares it. */
export const percentOf = (filled: number, expected: number): number =>
  Math.floor((filled * 20_000 + expected) / (2 * expected)) / 100;

/** The exact shares from which on a completeness is shown as at least this percentage, as a fraction of 20,000. */
function limitOf(percent: number): number {
  let hundredths = Math.ceil(percent * 100);
  // 66.67 * 100 is more than 6667.
  if ((hundredths - 1) / 100 >= percent) hundredths -= 1;
  return 2 * hundredths - 1;
}

/** SQL condition of groups or levels whose completeness is shown as below a percentage. */
export const isIncomplete = (percent: number, bind: Bind) =>
  `filled::bigint * 20000 < expected::bigint * ${bind(limitOf(percent))}::int`;

/** A share above those of all groups that are below a percentage, so that a search in the order of shares ends early. Its margin is that of floating-point numbers. */
export const largestShare = (percent: number): number => limitOf(percent) / 20_000 + 1e-6;

/**
 * SQL condition of the products `r` whose completeness is below a percentage: that of their group. The values of an archived product, which has no group, and of
 * a product whose group has changed are counted.
 */
export function isLessComplete(organizationId: string, percent: number, isArchived: boolean, bind: Bind): string {
  const organization = `${bind(organizationId)}::uuid`;
  const isLess = isIncomplete(percent, bind);
  const category = 'catalog.category_of(r.category)';
  const counted = `exists (
    with ${expected(organization)}
    select from usual
      left join catalog.category_sets s on s.organization_id = ${organization} and s.category = ${category}
      left join slugs_of_set sets using (attribute_set_id)
     cross join lateral ${EXPECTED}
     cross join lateral (select ${shared('catalog.filled(r.attributes)', 'e.slugs')} as filled, cardinality(e.slugs) as expected) c
     where ${isLess})`;
  return isArchived
    ? counted
    : `coalesce((with ${expected(organization)} select ${storedGroup(organization, category, 'r.shape', isLess)}), ${counted})`;
}
