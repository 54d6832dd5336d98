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
    select s.category, w.slugs, w.required from catalog.category_sets s join slugs_of_set w using (attribute_set_id)
     where s.organization_id = ${organization}),
  usual as (
    select coalesce(array_agg(slug), '{}') as slugs, '{}'::text[] as required from catalog.attributes
     where organization_id = ${organization} and subject = 'product' and is_active)`;

/** SQL of the slugs of one product as `e`, after a left join of `sets`. */
export const EXPECTED =
  '(select coalesce(sets.slugs, usual.slugs) as slugs, coalesce(sets.required, usual.required) as required) e';

/** SQL of the number of slugs that both arrays have. */
export const shared = (slugs: string, wanted: string) => `(select count(*) from unnest(${slugs}) s where s = any(${wanted}))`;

/** SQL of groups of products with their numbers of filled and expected values. */
export const groups = (organization: string, condition = 'true') => `
  groups as (
    select g.category, g.shape, g.count, ${shared('g.slugs', 'e.slugs')} as filled, cardinality(e.slugs) as expected,
           ${shared('g.slugs', 'e.required')} as filled_required, cardinality(e.required) as expected_required
      from (select category, shape, min(slugs) as slugs, sum(count) as count from catalog.filled_groups
             where organization_id = ${organization} and ${condition} group by 1, 2 having sum(count) > 0) g
      left join sets using (category) cross join usual
     cross join lateral ${EXPECTED})`;

/**
 * SQL condition of the products `r` whose completeness is below a percentage. The groups have no archived products, of which there are few, so the
 * values of these are counted one by one.
 */
export function isLessComplete(organizationId: string, percent: number, isArchived: boolean, bind: Bind): string {
  const organization = `${bind(organizationId)}::uuid`;
  const limit = `${bind(percent)}::real`;
  if (!isArchived)
    return `(catalog.category_of(r.category), r.shape) in (
      with ${expected(organization)}, ${groups(organization)} select category, shape from groups where filled * 100 < expected * ${limit})`;
  return `exists (
    with ${expected(organization)}
    select from usual left join sets on sets.category = catalog.category_of(r.category)
     cross join lateral ${EXPECTED}
     where ${shared('catalog.filled(r.attributes)', 'e.slugs')} * 100 < cardinality(e.slugs) * ${limit})`;
}

/** SQL of one row, a hash of the values that the products of an organization need. Totals that depend on completeness change with it. */
export const EXPECTATIONS = `with ${expected('$1')}
  select hashtextextended(usual::text || coalesce((select string_agg(s::text, ',' order by category) from sets s), ''), 0)::text as hash from usual`;
