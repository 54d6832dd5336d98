import type { GraphQLResolveInfo } from 'graphql';
import type { Bind } from '../../../platform/database/index.ts';
import {
  type CursorPage,
  type CursorRequest,
  isSelected,
  listParts,
  type OrderedRows,
  paginate,
  readCursor,
  writeCursor,
} from '../../../platform/lists/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { EXPECTED, expected, SHARE, shared } from '../completeness/expected-values.ts';
import { Product } from './entity.ts';
import { type GroupFilter, type GroupSql, isOfGroup, matchingGroups } from './filter.ts';

/** The products of a list by completeness. */
export interface CompletenessOrder {
  direction: 'asc' | 'desc';
  /** The list contains the products that meet these conditions and `matching`, or those that meet `few`. */
  ofGroups: GroupFilter;
  matching: (bind: Bind) => string[];
  /** Whether `ofGroups` has all conditions, so that the counts of the groups are those of the list. */
  isOfGroups: boolean;
  /** Conditions of few or archived products, whose completeness is read one by one. */
  few?: (bind: Bind) => string;
  total: () => number | Promise<number>;
}

type Where = { archived: boolean; isParent?: boolean; enriched?: boolean };
type Request = Pick<CursorRequest, 'page' | 'limit' | 'after'>;

interface Place {
  id: string;
  /** The values by which the product is sorted, as JSON. */
  place: string;
}

/** The types of a place: the share of the expected values, the category, the shape as UUID and the id. */
const TYPES = ['double', 'hash', 'hash', 'uuid'];

/**
 * One page of products by completeness. No product stores it, because a change of an attribute or a set would change them all. The groups of
 * products are sorted instead, and an index finds the products of each.
 */
export async function listByCompleteness(
  scope: Scope,
  { columns, joined, where }: Pick<OrderedRows<Product>, 'columns' | 'joined'> & { where: Where },
  order: CompletenessOrder,
  page: Request,
  info: GraphQLResolveInfo,
): Promise<CursorPage<Product>> {
  const name = `products completeness ${order.direction}`;
  const after = page.after == null ? undefined : readCursor(page.after, name, TYPES);
  const places = await readPlaces(scope, where, order, page, after);
  const ids = places.map(({ id }) => id);
  const total = isSelected(info, 'pagination') ? await order.total() : 0;
  const shown = { columns, joined, orderBy: { id: 'asc' }, matching: (bind: Bind) => `r.id = any(${bind(ids)}::uuid[])` } as const;
  const { nodes } = await listParts(scope, Product, shown, { ranges: ids.length > 0 ? [{}] : [], total }, page, info);
  const turns = new Map(ids.map((id, turn) => [id, turn]));
  const isFull = places.length === page.limit;
  return {
    ...paginate(
      nodes.toSorted((a, b) => turns.get(a.id)! - turns.get(b.id)!),
      page,
      total,
    ),
    endCursor: isFull ? writeCursor(name, places.at(-1)!.place) : null,
  };
}

async function readPlaces(
  { services, organizationId, signal, budget }: Scope,
  where: Where,
  order: CompletenessOrder,
  { page, limit, after: cursor }: Request,
  after?: unknown[],
): Promise<Place[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const organization = `${bind(organizationId)}::uuid`;
  const conditions = [
    `r.organization_id = ${organization}`,
    where.archived ? 'r.archived' : 'not r.archived',
    where.isParent !== undefined && `${where.isParent ? '' : 'not '}r.is_parent`,
    where.enriched !== undefined && `${where.enriched ? '' : 'not '}r.enriched`,
  ].filter((each) => typeof each === 'string');
  const slice = { limit, offset: cursor == null ? (page - 1) * limit : 0 };
  const text = order.few
    ? placesOfFew([...conditions, order.few(bind)], organization, order, slice, after, bind)
    : placesOfGroups(conditions, organizationId, order, slice, after, bind);
  return (await services.statements.run<Place>({ text, values }, signal, budget)).rows;
}

// A shape is too large for a number of JSON.
const PLACE = `json_build_array(share, category, lpad(to_hex(shape), 32, '0')::uuid, id)::text as place`;

/** SQL of a place, in the order of its types. */
function boundPlace([share, category, shape, id]: unknown[], bind: Bind): { group: string; id: string } {
  const number = BigInt.asIntN(64, BigInt(`0x${String(shape).slice(-17).replace('-', '')}`)).toString();
  return { group: `${bind(share)}::float8, ${bind(category)}::uuid, ${bind(number)}::bigint`, id: `${bind(id)}::uuid` };
}

const by = (direction: string, columns: string[]) => columns.map((column) => `${column} ${direction}`).join(', ');
const GROUP = ['share', 'category', 'shape'];
const [LOWEST, HIGHEST] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

interface Slice {
  limit: number;
  offset: number;
}

/** Reads the groups in their order, and of each the products, until the page is full. */
function placesOfGroups(
  conditions: string[],
  organizationId: string,
  order: CompletenessOrder,
  { limit, offset }: Slice,
  after: unknown[] | undefined,
  bind: Bind,
): string {
  const { direction, ofGroups, isOfGroups, matching } = order;
  const sql = matchingGroups(ofGroups, organizationId, bind);
  const all = [...conditions, isOfGroup, ...matching(bind)];
  if (offset > 0 && isOfGroups) return placesByCounts(sql, all, direction, { limit, offset }, bind);
  const [from, size] = [`${bind(offset)}::bigint`, `${bind(limit)}::bigint`];
  const sign = direction === 'asc' ? '>' : '<';
  let [isLater, isNext] = ['true', 'true'];
  if (after) {
    const place = boundPlace(after, bind);
    const first = direction === 'asc' ? LOWEST : HIGHEST;
    isLater = `(share, category, shape) ${sign}= (${place.group})`;
    isNext = `r.id ${sign} case when (g.share, g.category, g.shape) = (${place.group}) then ${place.id} else '${first}' end`;
  }
  return `
    with ${sql.ctes}
    select id, ${PLACE} from (${sql.groups(isLater, `order by ${by(direction, GROUP)}`)}) g
     cross join lateral (
      select r.id from catalog.products r where ${all.join(' and ')} and ${isNext} order by r.id ${direction} limit ${from} + ${size}) p
     order by ${by(direction, [...GROUP, 'id'])} limit ${size} offset ${from}`;
}

/** The counts of the shares tell which of them the page contains, those of their groups which groups. */
function placesByCounts(sql: GroupSql, conditions: string[], direction: string, { limit, offset }: Slice, bind: Bind): string {
  const [from, size] = [`${bind(offset)}::bigint`, `${bind(limit)}::bigint`];
  const isOnPage = `until > ${from} and until - count < ${from} + ${size}`;
  return `
    with ${sql.ctes},
    shares as materialized (
      select * from (
        select share, count, sum(count) over (order by share ${direction}) as until
          from (select share, sum(count) as count from (${sql.levels}) l group by 1) s) s where ${isOnPage}),
    ranked as materialized (
      select category, shape, share, count, (select min(until - count) from shares) + sum(count) over (order by ${by(direction, GROUP)}) as until
        from (select category, shape, share, sum(count) as count from (${sql.counted}) g where share = any(array(select share from shares)) group by 1, 2, 3) g)
    select id, ${PLACE} from ranked g cross join lateral (
      select r.id from catalog.products r where ${conditions.join(' and ')}
       order by r.id ${direction} limit ${size} offset greatest(${from} - (until - count), 0)::bigint) p
     where ${isOnPage} order by ${by(direction, [...GROUP, 'id'])} limit ${size}`;
}

/** Counts the values of each product. */
function placesOfFew(
  conditions: string[],
  organization: string,
  { direction }: CompletenessOrder,
  { limit, offset }: Slice,
  after: unknown[] | undefined,
  bind: Bind,
): string {
  const place = after && boundPlace(after, bind);
  return `
    with ${expected(organization)},
    few as (
      select r.id, catalog.category_of(r.category) as category, r.shape, ${SHARE} as share
        from catalog.products r left join sets on sets.category = catalog.category_of(r.category) cross join usual
       cross join lateral ${EXPECTED}
       cross join lateral (select catalog.filled(r.attributes) as slugs offset 0) h
       cross join lateral (select ${shared('h.slugs', 'e.slugs')} as filled, cardinality(e.slugs) as expected) c
       where ${conditions.join(' and ')})
    select id, ${PLACE} from few
     ${place ? `where (share, category, shape, id) ${direction === 'asc' ? '>' : '<'} (${place.group}, ${place.id})` : ''}
     order by ${by(direction, [...GROUP, 'id'])} limit ${bind(limit)} offset ${bind(offset)}`;
}
