import type { EntityClass, EntityMetadata, MikroORM, QueryOrderMap } from '@mikro-orm/postgresql';
import type { Budget } from 'compiled-gateway';
import pg from 'pg';
import { validate } from 'uuid';
import { nameOf } from './database.ts';
import type { Statements } from './statements.ts';

/** Whether text has the form of an id. Treat other text as not found: PostgreSQL would reject the query. */
export const isId = (text: string): boolean => validate(text);

/** The lower-case form of an id, as the database returns it. Callers may use upper case. */
export const canonicalId = (text: string): string => (isId(text) ? text.toLowerCase() : text);

/** The properties of a scope that reading needs. */
export interface Reader {
  /** Null reads rows of all organizations, for a caller who has none, such as a visitor. */
  organizationId: string | null;
  workspaceId?: string | null;
  services: { orm: MikroORM; statements: Statements };
  signal?: AbortSignal;
  budget?: Budget;
}

/** Adds a value to a statement and returns its placeholder. */
export type Bind = (value: unknown) => string;

export interface Rows<T extends object> {
  /** Defaults to all columns that are not lazy. */
  columns?: readonly (keyof T & string)[];
  /** Additional columns by name: SQL on the table as `r`. */
  joined?: Readonly<Record<string, string>>;
  /** A list matches any of its values. */
  where?: { [K in keyof T]?: T[K] | readonly T[K][] };
  /** An additional SQL condition on the table as `r`. */
  matching?: (bind: Bind) => string;
  orderBy?: QueryOrderMap<T>;
  /** SQL that replaces `orderBy`, on the table as `r`. */
  ordering?: string;
  /** Whether connections prepare the statement. By default not with `matching`, because the best plan of a search depends on its values. */
  isPrepared?: boolean;
}

interface Slice {
  limit: number;
  offset: number;
}

/**
 * Read rows of an entity as plain objects without hydration. Use entities only for changes. Returns rows of the organization of the scope
 * only. Must not run in a transaction, because it reads committed data on another connection.
 */
export async function readRows<T extends object>(
  scope: Reader,
  entity: EntityClass<T>,
  rows: Rows<T>,
  slice?: Slice,
): Promise<T[]> {
  const metadata = scope.services.orm.getMetadata(entity);
  const { values, bind } = binder();
  const text = selectOf(metadata, rows, fromWhere(scope, metadata, rows, bind), bind, slice);
  return run<T>(scope, text, values, rows.isPrepared ?? rows.matching === undefined);
}

/** Rows that store counts, so that a total is the sum of a few rows instead of a count of all. */
export interface StoredCount<T extends object> {
  entity: EntityClass<T>;
  sum: keyof T & string;
  where?: Rows<T>['where'];
  matching?: Rows<T>['matching'];
}

/**
 * Read a slice of the rows and their total in one statement, for one round trip and a consistent total.
 * @param count the stored count of the total, or the number at which counting stops; by default all rows are counted
 */
export async function readSlice<T extends object, C extends object>(
  scope: Reader,
  entity: EntityClass<T>,
  rows: Rows<T>,
  slice: Slice,
  count?: StoredCount<C> | number,
): Promise<{ rows: T[]; total: number }> {
  const metadata = scope.services.orm.getMetadata(entity);
  const runWithTotal = (write: (total: string, from: string, bind: Bind) => string) => {
    const { values, bind } = binder();
    const from = fromWhere(scope, metadata, rows, bind);
    const total = typeof count === 'object' ? sumOf(scope, count, bind) : countOf(from, bind, count);
    return run<T & { $total: number }>(scope, write(total, from, bind), values, rows.matching === undefined);
  };
  // PostgreSQL evaluates the total once, because it does not depend on the row.
  const found = await runWithTotal((total, from, bind) =>
    selectOf(metadata, { ...rows, joined: { ...rows.joined, $total: `(${total})` } }, from, bind, slice),
  );
  if (found.length > 0) return { rows: found, total: found[0]!.$total };
  // Probably the slice is empty. This statement costs more, but returns the total also without rows: one row, the total with nulls.
  const [first, ...others] = await runWithTotal(
    (total, from, bind) =>
      `select * from (${total}) t left join lateral (${selectOf(metadata, rows, from, bind, slice)}) p on true`,
  );
  const isEmpty = others.length === 0 && Object.entries(first!).every(([name, value]) => name === '$total' || value === null);
  return { rows: isEmpty ? [] : [first!, ...others], total: first!.$total };
}

/** Read one page of rows for each of several parents, with its total, in one statement. `of` is the column that names the parent. */
export async function readChildren<T extends object>(
  scope: Reader,
  entity: EntityClass<T>,
  rows: Rows<T>,
  { of, ids, slice, isCounted }: { of: keyof T & string; ids: readonly string[]; slice: Slice; isCounted: boolean },
): Promise<Map<string, { rows: T[]; total: number }>> {
  const metadata = scope.services.orm.getMetadata(entity);
  const { values, bind } = binder();
  const parents = bind(ids);
  const isChild = (inner: Bind) =>
    [`${columnOf(metadata, of)} = p.id`, ...(rows.matching ? [rows.matching(inner)] : [])].join(' and ');
  const children = { ...rows, matching: isChild };
  const from = fromWhere(scope, metadata, children, bind);
  const text = `select p.id as "$parent", t.count as "$total", c.* from unnest(${parents}::uuid[]) p (id)
    cross join lateral (select ${isCounted ? `count(*) ${from}` : '0 as count'}) t
    left join lateral (select 1 as "$row", s.* from (${selectOf(metadata, children, from, bind, slice)}) s) c on true`;
  const found = await run<T & { $parent: string; $total: number; $row: number | null }>(scope, text, values, !rows.matching);
  const pages = new Map(ids.map((id) => [id, { rows: [] as T[], total: 0 }]));
  for (const row of found) {
    const page = pages.get(row.$parent)!;
    page.total = row.$total;
    if (row.$row !== null) page.rows.push(row);
  }
  return pages;
}

function selectOf<T extends object>(metadata: EntityMetadata<T>, rows: Rows<T>, from: string, bind: Bind, slice?: Slice): string {
  const named = Object.entries(rows.orderBy ?? {}).map(
    ([name, direction]) => `${columnOf(metadata, name)} ${direction === 'desc' ? 'desc' : 'asc'}`,
  );
  const order = rows.ordering ?? named.join(', ');
  const ordered = order && ` order by ${order}`;
  const sliced = slice ? ` limit ${bind(slice.limit)} offset ${bind(slice.offset)}` : '';
  const selection = [selectionOf(metadata, rows.columns), ...joinedOf(rows)].join(', ');
  if (!slice?.offset || !hasId(metadata)) return `select ${selection} ${from}${ordered}${sliced}`;
  // Skipped rows are read from the index only, and their joined columns are not computed.
  const ids = `select r.id ${from}${ordered}${sliced}`;
  return `select ${selection} from ${tableOf(metadata)} r where r.id = any(array(${ids}))${ordered}`;
}

const tableOf = ({ schema, tableName }: { schema?: string; tableName: string }) => `${schema}.${tableName}`;

const hasId = <T>({ primaryKeys }: EntityMetadata<T>) => primaryKeys.length === 1 && String(primaryKeys[0]) === 'id';

const countOf = (from: string, bind: Bind, upTo?: number) =>
  `select count(*) as "$total" ${upTo === undefined ? from : `from (select 1 ${from} limit ${bind(upTo)}) counted`}`;

/** A query of one row with the sum of a stored count as `$total`. */
export function sumOf<T extends object>(scope: Reader, { entity, sum, where, matching }: StoredCount<T>, bind: Bind): string {
  const metadata = scope.services.orm.getMetadata(entity);
  return `select coalesce(sum(${columnOf(metadata, sum)}), 0) as "$total" ${fromWhere(scope, metadata, { where, matching }, bind)}`;
}

/** Read a stored count. */
export async function readCount<T extends object>(scope: Reader, count: StoredCount<T>): Promise<number> {
  const { values, bind } = binder();
  const [row] = await run<{ $total: number }>(scope, sumOf(scope, count, bind), values, count.matching === undefined);
  return row!.$total;
}

/** Count the rows that match, at most `upTo`. */
export async function countRows<T extends object>(
  scope: Reader,
  entity: EntityClass<T>,
  rows: Rows<T>,
  upTo?: number,
): Promise<number> {
  const { values, bind } = binder();
  const from = fromWhere(scope, scope.services.orm.getMetadata(entity), rows, bind);
  const [row] = await run<{ $total: number }>(scope, countOf(from, bind, upTo), values, rows.matching === undefined);
  return row!.$total;
}

function fromWhere<T extends object>(
  scope: Reader,
  metadata: EntityMetadata<T>,
  { where = {}, matching }: Rows<T>,
  bind: Bind,
): string {
  const terms: string[] = [];
  // The filter of `@Tenant()`: never return rows of other organizations.
  if ('organization' in metadata.filters && scope.organizationId !== null)
    terms.push(`${columnOf(metadata, 'organizationId')} = ${bind(scope.organizationId)}`);
  // The filter of `@OfWorkspace()`.
  const { workspace } = metadata.filters;
  if (workspace && scope.workspaceId) {
    const bound = (workspace.cond as (bound: object) => object)({ id: scope.workspaceId });
    for (const [name, id] of Object.entries(bound)) terms.push(`${columnOf(metadata, name)} = ${bind(id)}`);
  }
  // The filter of `@SoftDeleted()`.
  if ('present' in metadata.filters) terms.push(`${columnOf(metadata, 'deletedAt')} is null`);
  for (const [name, value] of Object.entries(where)) {
    if (value === undefined) continue;
    const column = columnOf(metadata, name);
    if (value === null) terms.push(`${column} is null`);
    else terms.push(Array.isArray(value) ? `${column} = any(${bind(value)})` : `${column} = ${bind(value)}`);
  }
  if (matching) terms.push(matching(bind));
  return `from ${tableOf(metadata)} r${terms.length > 0 ? ` where ${terms.join(' and ')}` : ''}`;
}

function binder(): { values: unknown[]; bind: Bind } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

function columnOf<T extends object>({ properties, className }: EntityMetadata<T>, name: string): string {
  const [column] = (properties as Record<string, { fieldNames: string[] }>)[name]?.fieldNames ?? [];
  if (!column) throw new Error(`${className} has no column for ${name}`);
  return `r."${column}"`;
}

const joinedOf = <T extends object>({ joined = {} }: Rows<T>) =>
  Object.entries(joined).map(([name, text]) => `${text} as "${name}"`);

const selections = new WeakMap<object, string>();

/** Cached by the list of columns, which callers pass as a constant. */
function selectionOf<T extends object>(metadata: EntityMetadata<T>, columns?: readonly string[]): string {
  const key = columns ?? metadata;
  const known = selections.get(key);
  if (known) return known;
  const names = columns ?? metadata.props.filter(({ lazy }) => !lazy).map(({ name }) => name as string);
  const selection = names.map((name) => `${columnOf(metadata, name)} as "${name}"`).join(', ');
  selections.set(key, selection);
  return selection;
}

/** MikroORM configures its pool to return these types as text. Amounts and counters fit a number without loss. */
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.NUMERIC, Number],
  [pg.types.builtins.TIMESTAMPTZ, parseTime],
]);
const types = {
  getTypeParser: ((id: number) => parsers.get(id) ?? pg.types.getTypeParser(id)) as typeof pg.types.getTypeParser,
};

/** Prepare each statement once per connection, except searches, whose plan depends on the pattern. */
async function run<T extends object>(
  { services, signal, budget }: Reader,
  text: string,
  values: unknown[],
  prepared: boolean,
): Promise<T[]> {
  const name = prepared ? nameOf(text) : undefined;
  const { rows } = await services.statements.run<T>({ name, text, values, types }, signal, budget);
  return rows;
}

const parseAny = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date | number;

/**
 * Parses a `timestamptz` as PostgreSQL writes it, such as `2026-11-22 18:00:01.123456+00`. Several times as fast as the parser of `pg`,
 * which still parses other zones, centuries and eras.
 */
export function parseTime(text: string): Date | number {
  const isUsual = text.charCodeAt(10) === SPACE && text.endsWith('+00') && !text.startsWith('00');
  if (!isUsual) return parseAny(text);
  const twoDigits = (at: number) => (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
  const milliseconds = text.length > 22 ? Number(text.slice(20, -3).slice(0, 3).padEnd(3, '0')) : 0;
  const year = twoDigits(0) * 100 + twoDigits(2);
  return new Date(Date.UTC(year, twoDigits(5) - 1, twoDigits(8), twoDigits(11), twoDigits(14), twoDigits(17), milliseconds));
}

const ZERO = 48;
const SPACE = 32;
