import type { EntityClass, EntityMetadata } from '@mikro-orm/postgresql';
import type { GraphQLResolveInfo } from 'graphql';
import { ArgsType, type ClassType, Field, ObjectType } from 'type-graphql';
import { fail } from '../../schema/errors.ts';
import { isStorable } from '../../schema/text.ts';
import { isId } from './ids.ts';
import { Limited } from './limits.ts';
import { listPage, type Page, PageOf, type PageRequest, pageArguments, paginate } from './page.ts';
import { type Bind, type Rows, readRows, type Tally } from './rows.ts';
import type { Scope } from './scope.ts';
import { isSelected } from './selection.ts';

export interface CursorRequest extends PageRequest {
  after?: string | null;
}

export interface CursorPage<T> extends Page<T> {
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
export function cursorArguments(fallback: number, max = 100): ClassType<CursorRequest> {
  @ArgsType()
  class CursorArguments extends pageArguments(fallback, max) {
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
}

const CURSOR = '$cursor';

/**
 * Read one page of rows by number or by cursor. The total is counted only if the operation selects `pagination`. Throws `INVALID_INPUT`
 * for a malformed cursor.
 */
export async function listByCursor<T extends object, C extends object>(
  scope: Scope,
  entity: EntityClass<T>,
  rows: OrderedRows<T>,
  { after, ...request }: CursorRequest,
  info: GraphQLResolveInfo,
  size?: number | Tally<C>,
): Promise<CursorPage<T>> {
  const { page, limit } = request;
  const wantsCursor = isSelected(info, 'endCursor');
  const wantsTotal = isSelected(info, 'pagination');
  const shown = wantsCursor ? withCursor(scope, entity, rows) : rows;
  const endOf = (nodes: T[]) => (wantsCursor && nodes.length === limit ? encode(nodes.at(-1)!) : null);

  if (after == null && wantsTotal) {
    const found = await listPage(scope, entity, shown, request, size);
    return { ...found, endCursor: endOf(found.nodes) };
  }
  const part = after == null ? shown : startAfter(scope, entity, shown, after);
  const nodes = await readRows(scope, entity, part, { limit, offset: after == null ? (page - 1) * limit : 0 });
  const total = wantsTotal ? (await listPage(scope, entity, rows, { page: 1, limit: 1 }, size)).pagination.total : 0;
  return { ...paginate(nodes, request, total), endCursor: endOf(nodes) };
}

/** Read the rows after a cursor, without a total. Throws `INVALID_INPUT` for a malformed cursor. */
export async function listSlice<T extends object>(
  scope: Scope,
  entity: EntityClass<T>,
  rows: OrderedRows<T>,
  { limit, after }: { limit: number; after?: string | null },
): Promise<{ nodes: T[]; endCursor: string | null }> {
  const nodes = await readRows(
    scope,
    entity,
    withCursor(scope, entity, after == null ? rows : startAfter(scope, entity, rows, after)),
    {
      limit,
      offset: 0,
    },
  );
  return { nodes, endCursor: nodes.length === limit ? encode(nodes.at(-1)!) : null };
}

function orderColumns<T extends object>({ properties }: EntityMetadata<T>, { orderBy }: OrderedRows<T>): OrderColumn[] {
  const known = properties as Record<string, { fieldNames: string[]; columnTypes: string[] }>;
  return Object.keys(orderBy).map((name) => ({ sql: `r."${known[name]!.fieldNames[0]}"`, type: known[name]!.columnTypes[0]! }));
}

const metadataOf = <T extends object>({ services }: Scope, entity: EntityClass<T>) => services.orm.getMetadata(entity);

function withCursor<T extends object>(scope: Scope, entity: EntityClass<T>, rows: OrderedRows<T>): OrderedRows<T> {
  const columns = orderColumns(metadataOf(scope, entity), rows);
  return { ...rows, joined: { ...rows.joined, [CURSOR]: `json_build_array(${columns.map(({ sql }) => sql).join(', ')})::text` } };
}

function startAfter<T extends object>(scope: Scope, entity: EntityClass<T>, rows: OrderedRows<T>, after: string): OrderedRows<T> {
  const columns = orderColumns(metadataOf(scope, entity), rows);
  const isAfter = beyond(columns, rows, decode(after, columns));
  return { ...rows, matching: (bind) => (rows.matching ? `${rows.matching(bind)} and ${isAfter(bind)}` : isAfter(bind)) };
}

/** Compares rows, because PostgreSQL reads such a condition from an index. Nulls are last in ascending order. */
function beyond<T extends object>(columns: OrderColumn[], { orderBy }: OrderedRows<T>, values: unknown[]) {
  const isDescending = Object.values(orderBy)[0] === 'desc';
  const sign = isDescending ? '<' : '>';
  return (bind: Bind): string => {
    const compare = (from: number) => {
      const part = columns.slice(from);
      const bounds = part.map(({ type }, at) => `${bind(values[from + at])}::${type}`);
      return `(${part.map(({ sql }) => sql).join(', ')}) ${sign} (${bounds.join(', ')})`;
    };
    const first = columns[0]!.sql;
    if (values[0] === null)
      return isDescending ? `(${first} is not null or ${compare(1)})` : `(${first} is null and ${compare(1)})`;
    return isDescending ? compare(0) : `(${compare(0)} or ${first} is null)`;
  };
}

const encode = (row: object): string => Buffer.from((row as { [CURSOR]: string })[CURSOR]).toString('base64url');

function decode(cursor: string, columns: OrderColumn[]): unknown[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(values) && values.length === columns.length) {
      if (columns.every(({ type }, at) => (at === 0 && values[0] === null) || isOfType(type, values[at]))) return values;
    }
  } catch {
    // Not JSON.
  }
  throw fail('INVALID_INPUT', 'after must be the endCursor of a page of the same list');
}

/** Whether PostgreSQL can read the value as this type. */
function isOfType(type: string, value: unknown): boolean {
  if (/^(integer|int|smallint)/.test(type)) return Number.isInteger(value) && Math.abs(value as number) < 2 ** 31;
  if (/^(double|real|numeric|decimal|bigint)/.test(type)) return Number.isFinite(value);
  if (typeof value !== 'string' || !isStorable(value)) return false;
  if (type === 'uuid') return isId(value);
  return !type.startsWith('timestamp') || isTimestamp(value);
}

/** Whether text is a time as PostgreSQL writes it in JSON. JavaScript alone would accept February 31. */
function isTimestamp(value: string): boolean {
  const [, year, month, day] =
    /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,6})?[+-](?:0\d|1[0-5]):[0-5]\d$/.exec(value)?.map(Number) ?? [];
  const lastDay = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  return year !== undefined && year > 0 && day! <= lastDay && !Number.isNaN(Date.parse(value));
}
