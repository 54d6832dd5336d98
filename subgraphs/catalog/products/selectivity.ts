import { type Bind, clock, type Rows, readRows } from '../../../platform/database/index.ts';
import { totalAt } from '../../../platform/lists/index.ts';
import { detached, type Scope } from '../../../platform/scope/index.ts';
import { Product } from './entity.ts';
import {
  categoriesBelow,
  conditionsOf,
  divideFilter,
  type GroupFilter,
  isOfGroup,
  matchingGroups,
  type ProductFilter,
} from './filter.ts';

const MAX_RARE = 2_000;
const ID = ['id'] as const;

/**
 * The products that meet the attribute conditions of a filter, its category or its completeness, if there are at most 2,000. PostgreSQL has no
 * statistics of rare values, gaps and paths, and would search for them through the whole catalog in the order of the list.
 */
export async function rareMatches(scope: Scope, filter: ProductFilter): Promise<string[] | undefined> {
  const { attribute, attributes, missingAttribute, completenessBelow, categoryBelow, archived } = filter;
  const valued = { attribute, attributes };
  if (attribute || attributes?.length) {
    const ids = await rareIds(scope, valued, { matching: all((bind) => conditionsOf(valued, scope.organizationId, bind)) });
    if (ids) return ids;
  }
  if (categoryBelow != null && !archived) {
    const ids = await rareIds(scope, { categoryBelow }, { matching: (bind) => isAmongBelow(scope, categoryBelow, bind) });
    if (ids) return ids;
  }
  if ((!missingAttribute && completenessBelow == null) || archived) return undefined;
  const { ofGroups } = divideFilter(filter);
  return rareIds(scope, ofGroups, { matching: (bind) => isAmongGroups(scope, ofGroups, bind) });
}

/** The first products of the groups. */
const isAmongGroups = ({ organizationId }: Scope, filter: GroupFilter, bind: Bind) => `r.id = any(array(
  with ${matchingGroups(filter, organizationId, bind)}
  select p.id from matching g cross join lateral (
    select r.id from catalog.products r where r.organization_id = ${bind(organizationId)}::uuid and not r.archived and ${isOfGroup}
     limit ${MAX_RARE + 1}) p limit ${MAX_RARE + 1}))`;

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
