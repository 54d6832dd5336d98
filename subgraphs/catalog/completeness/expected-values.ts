import type { Bind } from '../../../platform/database/index.ts';

/**
 * A product is complete when it has a value for each expected attribute: those of the attribute set of its category, or all active attributes
 * if its category has no set. Only a set can require attributes.
 *
 * SQL of the expected slugs: `sets` has them by category, `usual` those of all other categories.
 * @param organization SQL of the id of the organization
 */
export const expected = (organization: string) => `
  slugs_of_set as (
    select p.attribute_set_id, array_agg(a.slug) as slugs, coalesce(array_agg(a.slug) filter (where p.required), '{}') as required
      from catalog.attribute_set_attributes p join catalog.attributes a on a.id = p.attribute_id and a.is_active
     where p.attribute_set_id in (select attribute_set_id from catalog.category_sets where organization_id = ${organization}) group by 1),
  sets as (
    select s.category, s.attribute_set_id, w.slugs, w.required from catalog.category_sets s join slugs_of_set w using (attribute_set_id)
     where s.organization_id = ${organization}),
  usual as (
    select coalesce(array_agg(slug), '{}') as slugs, '{}'::text[] as required from catalog.attributes
     where organization_id = ${organization} and subject = 'product' and is_active)`;

/** SQL of the slugs of one product as `e`, after a left join of `sets`. */
export const EXPECTED =
  '(select coalesce(sets.slugs, usual.slugs) as slugs, coalesce(sets.required, usual.required) as required) e';

/** SQL of the number of slugs that both arrays have. */
export const shared = (slugs: string, wanted: string) => `(select count(*) from unnest(${slugs}) s where s = any(${wanted}))`;

/** The set of a category, or zeros. */
const EXPECTATION = `coalesce(sets.attribute_set_id, '00000000-0000-0000-0000-000000000000')`;

const stored = (organization: string, condition: string) =>
  `(select category, shape, slugs, count from catalog.filled_groups where organization_id = ${organization} and ${condition})`;

/**
 * SQL of the numbers of products with values of the same attributes and the same expectation, as `shapes`, with their numbers of filled and expected
 * values. They are much fewer than the groups, which also differ by category.
 */
export const shapes = (organization: string, condition = 'true') => `
  shapes as materialized (
    select d.shape, d.expectation, d.count, f.filled, cardinality(e.slugs) as expected, f.filled_required, cardinality(e.required) as expected_required
      from (select shape, ${EXPECTATION} as expectation, min(g.slugs) as slugs, sum(count) as count
              from ${stored(organization, condition)} g left join sets using (category) group by 1, 2) d
      left join slugs_of_set sets on sets.attribute_set_id = d.expectation cross join usual
     cross join lateral ${EXPECTED}
     cross join lateral (
       select count(*) as filled, count(*) filter (where s = any(e.required)) as filled_required from unnest(d.slugs) s where s = any(e.slugs)) f)`;

/** SQL of groups of products with their numbers of filled and expected values. Each shape is compared once with each expectation. */
export const groups = (organization: string, condition = 'true') => `
  ${shapes(organization, condition)},
  groups as (
    select category, shape, c.count, filled, expected, filled_required, expected_required
      from (select category, shape, ${EXPECTATION} as expectation, sum(count) as count
              from ${stored(organization, condition)} g left join sets using (category) group by 1, 2, 3 having sum(count) > 0) c
      join shapes using (shape, expectation))`;

/**
 * SQL condition of the products `r` whose completeness is below a percentage. The groups have no archived products, of which there are few, so the
 * values of these are counted one by one.
 */
export function isLessComplete(organizationId: string, percent: number, isArchived: boolean, bind: Bind): string {
  const organization = `${bind(organizationId)}::uuid`;
  const limit = `${bind(percent)}::real`;
  // Not as a join, for which PostgreSQL would read the products of all these groups before the first one of the list.
  if (!isArchived)
    return `((catalog.category_of(r.category), r.shape) in (
      with ${expected(organization)}, ${shapes(organization)}
      select category, g.shape from ${stored(organization, 'true')} g left join sets using (category)
        join shapes on shapes.shape = g.shape and shapes.expectation = ${EXPECTATION} where filled * 100 < expected * ${limit})) is true`;
  return `exists (
    with ${expected(organization)}
    select from usual left join sets on sets.category = catalog.category_of(r.category)
     cross join lateral ${EXPECTED}
     where ${shared('catalog.filled(r.attributes)', 'e.slugs')} * 100 < cardinality(e.slugs) * ${limit})`;
}

/** SQL of one row, a hash of the values that the products of an organization need. Totals that depend on completeness change with it. */
export const EXPECTATIONS = `with ${expected('$1')}
  select hashtextextended(usual::text || coalesce((select string_agg(s::text, ',' order by category) from sets s), ''), 0)::text as hash from usual`;
