import {
  type Bind,
  clock,
  columns,
  hidden,
  type Rows,
  readRows,
  type StoredCount,
  Table,
  Tenant,
} from '../../../platform/database/index.ts';
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

/** Product counts that triggers maintain, so that a page of a large catalog needs no `count(*)`. */
@Table('catalog.product_counts')
@Tenant()
export class ProductCount extends columns({
  organizationId: hidden('uuid', { primary: true }),
  isParent: hidden('boolean', { primary: true }),
  enriched: hidden('boolean', { primary: true }),
  archived: hidden('boolean', { primary: true }),
  count: hidden('count'),
}) {}

export const productCounts = (filter: {
  archived: boolean;
  isParent?: boolean;
  enriched?: boolean;
}): StoredCount<ProductCount> => ({
  entity: ProductCount,
  sum: 'count',
  where: filter,
});

/** Part of a number that increases with each commit that changed products of the organization. Triggers maintain it. */
@Table('catalog.product_versions')
@Tenant()
export class ProductVersion extends columns({
  organizationId: hidden('uuid', { primary: true }),
  slot: hidden('smallint', { primary: true }),
  /** Counts changes of the columns that searches and the filters by name read. */
  listed: hidden('count'),
  /** Counts all changes. */
  changed: hidden('count'),
}) {}

const LISTED = new Set<string>([
  'ids',
  'brand',
  'category',
  'parentId',
  'archived',
  'categoryBelow',
  'words',
] satisfies (keyof ProductFilter)[]);

/** The orders that change only with the columns of `listed`. */
const LISTED_ORDERS = new Set<string>(['createdAt', 'sku', 'name', 'brand'] satisfies (keyof Product)[]);

type Version = Record<'listed' | 'changed', number>;

/** The number on which the total of a filtered list depends, and its order if there is one. */
export function versionOf(filter: ProductFilter, order?: string): keyof Version {
  const isListed = Object.entries(filter).every(([name, value]) => value == null || LISTED.has(name));
  const hasListedOrder = order === undefined || LISTED_ORDERS.has(order);
  return isListed && hasListedOrder ? 'listed' : 'changed';
}

const VERSION = {
  name: 'product version',
  text: `select coalesce(sum(listed), 0)::float as listed, coalesce(sum(changed), 0)::float as changed
           from catalog.product_versions where organization_id = $1`,
};

/** The numbers of a catalog. Read them before rows that are stored with them, so that a change between the two outdates the rows. */
export async function readVersion({ services, organizationId, signal, budget }: Scope): Promise<Version> {
  const { rows } = await services.statements.run<Version>({ ...VERSION, values: [organizationId] }, signal, budget);
  return rows[0]!;
}

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
function isAmongGroups({ organizationId }: Scope, filter: GroupFilter, bind: Bind): string {
  const { ctes, groups } = matchingGroups(filter, organizationId, bind);
  return `r.id = any(array(
    with ${ctes}
    select p.id from (${groups()}) g cross join lateral (
      select r.id from catalog.products r where r.organization_id = ${bind(organizationId)}::uuid and not r.archived and ${isOfGroup}
       limit ${MAX_RARE + 1}) p limit ${MAX_RARE + 1}))`;
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
