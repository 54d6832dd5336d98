import type { EntityClass, EntityMetadata } from '@mikro-orm/postgresql';
import type { GraphQLResolveInfo } from 'graphql';
import { ArgsType, type ClassType, Field, ObjectType } from 'type-graphql';
import { fail } from '../../schema/errors.ts';
import { isStorable } from '../../schema/text.ts';
import { type Bind, isId, type Rows, readRows, type StoredCount } from '../database/index.ts';
import { Limited } from '../fields/index.ts';
import type { Scope } from '../scope/index.ts';
import { type ListPage, listPage, PageOf, type PageRequest, pageArguments, paginate } from './page.ts';
import type { PageStart, RowRange } from './page-index.ts';
import { isSelected, selectColumns } from './selected-columns.ts';

export interface CursorRequest extends PageRequest {
  after?: string | null;
}

export interface CursorPage<T> extends ListPage<T> {
  endCursor: string | null;
}

/** The GraphQL type of a page with a cursor. */
export function CursorPageOf<T extends object>(node: ClassType<T>, name: string): ClassType<CursorPage<T>> {
  @ObjectType(name)
  class CursorPageType extends PageOf(node, name) {
    @Field(() => String, {
      nullable: true,
      description:
        'Pass it as `after` for the next page. Null at the end. Pages by cursor neither repeat nor skip rows while others are written.',
    })
    endCursor!: string | null;
  }
  return CursorPageType;
}

/** The arguments `page`, `limit` and `after` of a list. */
export function cursorArguments(fallback: number): ClassType<CursorRequest> {
  @ArgsType()
  class CursorArguments extends pageArguments(fallback) {
    @Limited({ maxLength: 2_000 })
    @Field(() => String, { nullable: true, description: 'The `endCursor` of the previous page. It replaces `page`.' })
    after?: string | null;
  }
  return CursorArguments;
}

/** Rows in an order that ends with a unique column. All columns have the same direction; only the first may be null. */
export type OrderedRows<T extends object> = Rows<T> & { orderBy: Partial<Record<keyof T & string, 'asc' | 'desc'>> };

interface OrderColumn {
  sql: string;
  type: string;
  nullable: boolean;
}

const CURSOR = '$cursor';

/**
 * Read one page of rows by number or by cursor. The total is counted only if the operation selects `pagination`. Throws `INVALID_INPUT`
 * for a malformed cursor.
 */
export async function listByCursor<T extends object, C extends object>(
  scope: Scope,
  entity: EntityClass<T>,
  all: OrderedRows<T>,
  { after, ...request }: CursorRequest,
  info: GraphQLResolveInfo,
  size?: number | StoredCount<C>,
): Promise<CursorPage<T>> {
  const rows = { ...all, ...selectColumns(all, info) };
  const { page, limit } = request;
  const wantsCursor = isSelected(info, 'endCursor');
  const wantsTotal = isSelected(info, 'pagination');
  const shown = wantsCursor ? withCursor(scope, entity, rows) : rows;

  if (after == null && wantsTotal) {
    const found = await listPage(scope, entity, shown, request, size);
    return { ...found, endCursor: wantsCursor ? cursorAfter(scope, entity, rows, found.nodes, limit) : null };
  }
  const parts = after == null ? [{ offset: (page - 1) * limit }] : partsAfter(scope, entity, rows, after);
  const nodes = await readParts(scope, entity, shown, parts, limit);
  const total = wantsTotal ? await totalOf(scope, entity, rows, size) : 0;
  return { ...paginate(nodes, request, total), endCursor: wantsCursor ? cursorAfter(scope, entity, rows, nodes, limit) : null };
}

async function totalOf<T extends object, C extends object>(
  scope: Scope,
  entity: EntityClass<T>,
  rows: Rows<T>,
  size?: number | StoredCount<C>,
): Promise<number> {
  if (typeof size === 'number') return size;
  return (await listPage(scope, entity, rows, { page: 1, limit: 1 }, size)).pagination.total;
}

/** Read a page that starts in the first of these parts of the list. */
export async function listParts<T extends object>(
  scope: Scope,
  entity: EntityClass<T>,
  all: OrderedRows<T>,
  { ranges: parts, total }: PageStart,
  request: PageRequest,
  info: GraphQLResolveInfo,
): Promise<CursorPage<T>> {
  const rows = { ...all, ...selectColumns(all, info) };
  const wantsCursor = isSelected(info, 'endCursor');
  const { limit } = request;
  const nodes = await readParts(scope, entity, wantsCursor ? withCursor(scope, entity, rows) : rows, parts, limit);
  return { ...paginate(nodes, request, total), endCursor: wantsCursor ? cursorAfter(scope, entity, rows, nodes, limit) : null };
}

function cursorAfter<T extends object>(
  scope: Scope,
  entity: EntityClass<T>,
  rows: OrderedRows<T>,
  nodes: T[],
  limit: number,
): string | null {
  return nodes.length === limit ? encode(orderName(metadataOf(scope, entity), rows), nodes.at(-1)!) : null;
}

/** Read the rows after a cursor, without a total. Throws `INVALID_INPUT` for a malformed cursor. */
export async function listSlice<T extends object>(
  scope: Scope,
  entity: EntityClass<T>,
  rows: OrderedRows<T>,
  { limit, after }: { limit: number; after?: string | null },
): Promise<{ nodes: T[]; endCursor: string | null }> {
  const parts = after == null ? [{}] : partsAfter(scope, entity, rows, after);
  const nodes = await readParts(scope, entity, withCursor(scope, entity, rows), parts, limit);
  return { nodes, endCursor: cursorAfter(scope, entity, rows, nodes, limit) };
}

/** Reads the parts in their order until there are enough rows. One statement for all would read the rows before a part. */
export async function readParts<T extends object>(
  scope: Scope,
  entity: EntityClass<T>,
  rows: Rows<T>,
  parts: readonly RowRange[],
  limit: number,
): Promise<T[]> {
  const nodes: T[] = [];
  for (const { matching, offset = 0 } of parts) {
    if (nodes.length === limit) break;
    const both = (bind: Bind) => [rows.matching, matching].flatMap((each) => each?.(bind) ?? []).join(' and ');
    const part = matching ? { ...rows, matching: both, isPrepared: !rows.matching } : rows;
    nodes.push(...(await readRows(scope, entity, part, { limit: limit - nodes.length, offset })));
  }
  return nodes;
}

function orderColumns<T extends object>(
  { properties }: EntityMetadata<T>,
  { orderBy }: Pick<OrderedRows<T>, 'orderBy'>,
): OrderColumn[] {
  const known = properties as Record<string, { fieldNames: string[]; columnTypes: string[]; nullable?: boolean }>;
  return Object.keys(orderBy).map((name) => {
    const { fieldNames, columnTypes, nullable = false } = known[name]!;
    return { sql: `r."${fieldNames[0]}"`, type: columnTypes[0]!, nullable };
  });
}

const metadataOf = <T extends object>({ services }: Scope, entity: EntityClass<T>) => services.orm.getMetadata(entity);

function withCursor<T extends object>(scope: Scope, entity: EntityClass<T>, rows: OrderedRows<T>): OrderedRows<T> {
  const columns = orderColumns(metadataOf(scope, entity), rows);
  return { ...rows, joined: { ...rows.joined, [CURSOR]: `json_build_array(${columns.map(({ sql }) => sql).join(', ')})::text` } };
}

/** The rows after a cursor: those with a value and those without one, in the order of the list. Nulls are last in ascending order. */
function partsAfter<T extends object>(
  scope: Scope,
  entity: EntityClass<T>,
  { orderBy }: OrderedRows<T>,
  after: string,
): RowRange[] {
  const metadata = metadataOf(scope, entity);
  const columns = orderColumns(metadata, { orderBy });
  const values = decode(after, orderName(metadata, { orderBy }), columns);
  const isDescending = Object.values(orderBy)[0] === 'desc';
  // PostgreSQL reads a comparison of rows from an index.
  const beyond = (from: number) => (bind: Bind) => {
    const part = columns.slice(from);
    const bounds = part.map(({ type }, at) => `${bind(values[from + at])}::${type}`);
    return `(${part.map(({ sql }) => sql).join(', ')}) ${isDescending ? '<' : '>'} (${bounds.join(', ')})`;
  };
  const { sql: first, nullable } = columns[0]!;
  if (values[0] === null) {
    const rest: RowRange = { matching: (bind) => `${first} is null and ${beyond(1)(bind)}` };
    return isDescending ? [rest, { matching: () => `${first} is not null` }] : [rest];
  }
  const rest: RowRange = { matching: beyond(0) };
  return nullable && !isDescending ? [rest, { matching: () => `${first} is null` }] : [rest];
}

/** Names a list and its order, such as `products name asc`. Values of another order may fit the types of the columns. */
function orderName<T extends object>({ tableName }: EntityMetadata<T>, { orderBy }: Pick<OrderedRows<T>, 'orderBy'>): string {
  const [[column, direction] = []] = Object.entries(orderBy);
  return `${tableName} ${column} ${direction}`;
}

const encode = (order: string, row: object): string => writeCursor(order, (row as { [CURSOR]: string })[CURSOR]);

const decode = (cursor: string, order: string, columns: OrderColumn[]): unknown[] =>
  readCursor(
    cursor,
    order,
    columns.map(({ type }) => type),
  );

/**
 * A cursor of a list whose order is not that of its columns.
 * @param order names the list and its order
 * @param values JSON array of the values by which the last row is sorted
 */
export const writeCursor = (order: string, values: string): string => Buffer.from(`${order} ${values}`).toString('base64url');

/** The values of a cursor, of which only the first may be null. Throws `INVALID_INPUT` unless they have the types. */
export function readCursor(cursor: string, order: string, types: readonly string[]): unknown[] {
  try {
    const text = Buffer.from(cursor, 'base64url').toString();
    const values: unknown = text.startsWith(`${order} `) ? JSON.parse(text.slice(order.length)) : undefined;
    if (Array.isArray(values) && values.length === types.length) {
      if (types.every((type, at) => (at === 0 && values[0] === null) || isOfType(type, values[at]))) return values;
    }
  } catch {
    // Not JSON.
  }
  throw fail('INVALID_INPUT', 'after must be the endCursor of a page of the same list');
}

/** A UUID of any bits. */
const HASH = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Whether PostgreSQL can read the value as this type. */
function isOfType(type: string, value: unknown): boolean {
  if (/^(integer|int|smallint)/.test(type)) return Number.isInteger(value) && Math.abs(value as number) < 2 ** 31;
  if (/^(double|real|numeric|decimal|bigint)/.test(type)) return Number.isFinite(value);
  if (typeof value !== 'string' || !isStorable(value)) return false;
  if (type === 'uuid') return isId(value);
  if (type === 'hash') return HASH.test(value);
  return !type.startsWith('timestamp') || isTimestamp(value);
}

/** Whether text is a time as PostgreSQL writes it in JSON. JavaScript alone would accept February 31. */
function isTimestamp(value: string): boolean {
  const [, year, month, day] =
    /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,6})?[+-](?:0\d|1[0-5]):[0-5]\d$/.exec(value)?.map(Number) ?? [];
  const lastDay = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  return year !== undefined && year > 0 && day! <= lastDay && !Number.isNaN(Date.parse(value));
}

/** A position in a feed of numbered changes: `12`, or `12-40` for a reader that has not yet reached the end of its first read. */
export interface FeedCursor {
  /** The last change that was read; 0 before the first. */
  last: number;
  /** The newest change when the reader began at 0. It needs no deletions up to this one, because it began without records. */
  begun: number;
}

export const FEED_CURSOR = /^\d{1,15}(-\d{1,15})?$/;

/** Read a text that matches `FEED_CURSOR`. */
export function readFeedCursor(text: string): FeedCursor {
  const [last = 0, begun = last] = text.split('-').map(Number);
  return { last, begun: Math.max(last, begun) };
}

/** The cursor after a page. At the end of the feed, no other change up to `begun` is left for the reader. */
export const writeFeedCursor = ({ last, begun }: FeedCursor, hasMore: boolean): string =>
  hasMore && last < begun ? `${last}-${begun}` : String(Math.max(last, begun));
