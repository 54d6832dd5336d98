import { type Bind, clock, type Rows, readRows } from '../../../platform/database/index.ts';
import { totalAt } from '../../../platform/lists/index.ts';
import { detached, type Scope } from '../../../platform/scope/index.ts';
import { Product } from './entity.ts';
import { categoriesBelow, conditionsOf, type ProductFilter } from './filter.ts';

const MAX_RARE = 2_000;
/** A catalog has few sets of filled attributes, because a job fills the same ones. */
const MAX_SHAPES = 500;
const ID = ['id'] as const;

/**
 * The products that meet the attribute conditions of a filter, or its category, if there are at most 2,000. PostgreSQL has no statistics of rare
 * values, gaps and paths, and would search for them through the whole catalog in the order of the list.
 */
export async function rareMatches(scope: Scope, filter: ProductFilter): Promise<string[] | undefined> {
  const { attribute, attributes, missingAttribute, categoryBelow, archived } = filter;
  const valued = { attribute, attributes };
  if (attribute || attributes?.length) {
    const ids = await rareIds(scope, valued, { matching: all((bind) => conditionsOf(valued, scope.organizationId, bind)) });
    if (ids) return ids;
  }
  if (categoryBelow != null && !archived) {
    const ids = await rareIds(scope, { categoryBelow }, { matching: (bind) => isAmongBelow(scope, categoryBelow, bind) });
    if (ids) return ids;
  }
  if (!missingAttribute) return undefined;
  const shapes = await shapesWithout(scope, missingAttribute);
  const isMissing = (bind: Bind) => [
    `catalog.value_shape(r.attributes) = any(${bind(shapes)}::bigint[])`,
    ...conditionsOf({ missingAttribute }, scope.organizationId, bind),
  ];
  return shapes && rareIds(scope, { missingAttribute }, { matching: all(isMissing) });
}

/** The first products of the categories, read by the index of the products of a category. */
const isAmongBelow = ({ organizationId }: Scope, path: string, bind: Bind) => `r.id = any(array(
  select p.id from (${categoriesBelow(path, organizationId, bind)}) l cross join lateral (
    select p.id from catalog.products p
     where p.organization_id = ${bind(organizationId)}::uuid and p.category is not null and catalog.name_key(p.category) = l.key
     limit ${MAX_RARE + 1}) p limit ${MAX_RARE + 1}))`;

type Matches = Pick<Rows<Product>, 'where' | 'matching'>;

const all = (conditions: (bind: Bind) => string[]) => (bind: Bind) => conditions(bind).join(' and ');

/** Remembers for a minute that there are more. */
async function rareIds(scope: Scope, list: unknown, rows: Matches): Promise<string[] | undefined> {
  let ids: string[] | undefined;
  const read = async () => {
    // Without the signal of the caller, because others may wait for the same number.
    ids = (await readRows(detached(scope), Product, { ...rows, columns: ID }, { limit: MAX_RARE + 1, offset: 0 })).map(
      ({ id }) => id,
    );
    return ids.length;
  };
  const size = await totalAt(scope, ['up to', MAX_RARE, list], Math.floor(clock.ms() / 60_000), read);
  if (size > MAX_RARE) return undefined;
  // Another request, or an earlier one of this minute, read the number.
  if (!ids) await read();
  return ids!.length > MAX_RARE ? undefined : ids;
}

/** Skips through the index from one set of filled attributes to the next, with one product of each. */
const SHAPES = `
  with recursive shapes as (
    (select catalog.value_shape(attributes) as shape, value_keys from catalog.products
      where organization_id = $1 order by catalog.value_shape(attributes) limit 1)
    union all
    select next.shape, next.value_keys from shapes s cross join lateral (
      select catalog.value_shape(p.attributes) as shape, p.value_keys from catalog.products p
       where p.organization_id = $1 and catalog.value_shape(p.attributes) > s.shape
       order by catalog.value_shape(p.attributes) limit 1) next)
  select shape::text, not value_keys @> array[hashtextextended($2, 0)] as lacks from shapes limit ${MAX_SHAPES + 1}`;

/** The sets of filled attributes that lack this one. Undefined if the catalog has too many sets. */
async function shapesWithout({ services, organizationId, signal, budget }: Scope, slug: string): Promise<string[] | undefined> {
  const statement = { name: 'value shapes', text: SHAPES, values: [organizationId, slug] };
  const { rows } = await services.statements.run<{ shape: string; lacks: boolean }>(statement, signal, budget);
  return rows.length > MAX_SHAPES ? undefined : rows.filter(({ lacks }) => lacks).map(({ shape }) => shape);
}
