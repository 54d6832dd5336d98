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
import { EXPECTED, expected, shared } from '../completeness/expected-values.ts';
import { Product } from './entity.ts';
import { type GroupFilter, isOfGroup, matchingGroups } from './filter.ts';

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

const groupKey = (shape: string) => `lpad(to_hex(${shape}), 32, '0')::uuid`;
const PLACE = `json_build_array(share, category, key, id)::text as place`;
const by = (direction: string, columns: string[]) => columns.map((column) => `${column} ${direction}`).join(', ');
const GROUP = ['share', 'category', 'key'];
const [LOWEST, HIGHEST] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

interface Slice {
  limit: number;
  offset: number;
}

/** Reads the groups in their order, and of each the products, until the page is full. */
function placesOfGroups(
  conditions: string[],
  organizationId: string,
  { direction, ofGroups, isOfGroups, matching }: CompletenessOrder,
  { limit, offset }: Slice,
  after: unknown[] | undefined,
  bind: Bind,
): string {
  const groups = matchingGroups(ofGroups, organizationId, bind);
  const all = [...conditions, isOfGroup, ...matching(bind)];
  const sign = direction === 'asc' ? '>' : '<';
  const [share, category, key, id] = (after ?? []).map((value, at) => `${bind(value)}::${at === 0 ? 'float8' : 'uuid'}`);
  const [from, size] = [`${bind(offset)}::bigint`, `${bind(limit)}::bigint`];
  // The counts of the groups tell which of them the page contains, unless it has a part of a group.
  const isCounted = !after && isOfGroups;
  return `
    with ${groups},
    keyed as (select category, shape, share, count::bigint as count, ${groupKey('shape')} as key from matching),
    ranked as materialized (
      select *, sum(count) over (order by ${by(direction, GROUP)})::bigint as until from keyed
       ${after ? `where (share, category, key) ${sign}= (${share}, ${category}, ${key})` : ''} order by ${by(direction, GROUP)})
    select id, ${PLACE} from ranked g cross join lateral (
      select r.id from catalog.products r where ${all.join(' and ')}
         ${after ? `and r.id ${sign} case when (g.category, g.key) = (${category}, ${key}) then ${id} else '${direction === 'asc' ? LOWEST : HIGHEST}' end` : ''}
       order by r.id ${direction} limit ${isCounted ? `${size} offset greatest(${from} - until + count, 0)` : `${from} + ${size}`}) p
     ${isCounted ? `where until > ${from} and until - count < ${from} + ${size}` : ''}
     order by ${by(direction, [...GROUP, 'id'])} limit ${size} offset ${isCounted ? '0' : from}`;
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
  const bounds = (after ?? []).map((value, at) => `${bind(value)}::${at === 0 ? 'float8' : 'uuid'}`);
  return `
    with ${expected(organization)},
    few as (
      select r.id, catalog.category_of(r.category) as category, ${groupKey('r.shape')} as key,
             coalesce(${shared('h.filled', 'e.slugs')}::float8 / nullif(cardinality(e.slugs), 0), 2) as share
        from catalog.products r left join sets on sets.category = catalog.category_of(r.category) cross join usual
       cross join lateral ${EXPECTED}
       cross join lateral (select catalog.filled(r.attributes) as filled offset 0) h
       where ${conditions.join(' and ')})
    select id, ${PLACE} from few
     ${after ? `where (share, category, key, id) ${direction === 'asc' ? '>' : '<'} (${bounds.join(', ')})` : ''}
     order by ${by(direction, [...GROUP, 'id'])} limit ${bind(limit)} offset ${bind(offset)}`;
}
