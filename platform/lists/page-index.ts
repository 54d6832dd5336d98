import { type Bind, nameOf, query, sql } from '../database/index.ts';
import { detached, type Scope, transaction } from '../scope/index.ts';
import { log } from '../telemetry/index.ts';

/** Pages before this offset are read without the index. */
const NEAR = 2_000;
/** Milliseconds; a list whose index cannot be built in this time has none. */
const BUILD_TIMEOUT = 9_000;

/** An order of a list with a page index. The column precedes the id, in the same direction. */
export interface ListOrder {
  index: string;
  listId: string;
  column: string;
  isTime: boolean;
  isNullable?: boolean;
  direction: 'asc' | 'desc';
  /** Columns of the index that count the rows of the list. */
  classes: readonly string[];
  /** A query of one row, whose column `$total` is the size of the list. */
  total: (bind: Bind) => string;
}

/** Rows of a list that follow each other: a condition on the table as `r`, and how many of its rows to skip. */
export interface RowRange {
  matching?: (bind: Bind) => string;
  offset?: number;
}

/** The ranges of rows of a list from a page on, and the size of the list. */
export interface PageStart {
  ranges: RowRange[];
  total: number;
}

interface Found {
  total: number;
  missing: boolean | null;
  start: string;
  startId: string;
  nextStart: string | null;
  nextId: string | null;
  skip: number;
}

/**
 * Finds where a page of a list starts, so that the rows before it are not read. The first such page of an order builds its index.
 * Undefined for pages near the start, and for lists without an index.
 */
export async function locatePage(scope: Scope, order: ListOrder, offset: number): Promise<PageStart | undefined> {
  if (offset < NEAR) return undefined;
  let found = await find(scope, order, offset);
  if (found.total <= offset) return { ranges: [], total: found.total };
  if (found.missing === null && (await build(scope, order))) found = await find(scope, order, offset);
  if (found.missing === null) return undefined;
  return { ranges: rangesFrom(order, found), total: found.total };
}

async function find({ services, signal, budget }: Scope, order: ListOrder, offset: number): Promise<Found> {
  const values: unknown[] = [];
  const text = statementFor(order, offset, (value) => `$${values.push(value)}`);
  const { rows } = await services.statements.run<Found>({ name: nameOf(text), text, values }, signal, budget);
  return rows[0]!;
}

function statementFor({ index, listId, column, direction, classes, total }: ListOrder, offset: number, bind: Bind): string {
  const list = `list_id = ${bind(listId)} and sort = ${bind(column)}`;
  const skipped = `${bind(offset)}::bigint`;
  const count = classes.join(' + ');
  const opposite = direction === 'asc' ? 'desc' : 'asc';
  // The windows have the order of the primary key or its reverse, so they need no sort and end at the first match.
  const summed = (order: string) => `
      select missing, start, start_id, ${count} as size,
             sum(${count}) over (order by missing ${order}, start ${order}, start_id ${order} rows unbounded preceding) as until
        from ${index} where ${list}`;
  // In descending order, an entry is read from the start of the next one.
  return `
    select t.total, r.missing, r.start, r.start_id as "startId", n.start as "nextStart", n.start_id as "nextId",
           (${skipped} - r.before)::int as skip
      from (select "$total"::int as total from (${total(bind)}) s) t
      left join lateral (
        (select *, until - size as before from (${summed(direction)}) s
          where ${skipped} * 2 < t.total and until > ${skipped} limit 1)
        union all
        (select *, t.total - until as before from (${summed(opposite)}) s
          where ${skipped} * 2 >= t.total and ${skipped} < t.total and t.total - until <= ${skipped} limit 1)) r on true
      left join lateral (
        select start, start_id from ${index} o
         where ${list} and o.missing = r.missing and (o.start, o.start_id) > (r.start, r.start_id)
         order by o.start, o.start_id limit 1) n on true`;
}

function rangesFrom({ column: name, isTime, isNullable, direction }: ListOrder, found: Found): RowRange[] {
  const { missing, skip } = found;
  const column = `r."${name}"`;
  const value = (bind: Bind, text: string) => (isTime ? `(${bind(text)}::timestamp at time zone 'utc')` : bind(text));
  const within = (bind: Bind) => {
    const bounds = [`${column} is ${missing ? '' : 'not '}null`];
    const isFirst = found.start === '' && /^[0-]+$/.test(found.startId);
    const [from, id, sign] =
      direction === 'asc' ? [isFirst ? null : found.start, found.startId, '>='] : [found.nextStart, found.nextId, '<'];
    if (from !== null) {
      // PostgreSQL reads a comparison of rows from an index.
      if (missing) bounds.push(`r.id ${sign} ${bind(id)}::uuid`);
      else bounds.push(`(${column}, r.id) ${sign} (${value(bind, from)}, ${bind(id)}::uuid)`);
    }
    return bounds.join(' and ');
  };
  const first = { matching: within, offset: skip };
  const isLast = !isNullable || (direction === 'asc') === missing;
  return isLast ? [first] : [first, { matching: () => `${column} is ${missing ? 'not ' : ''}null` }];
}

async function build(scope: Scope, { index, listId, column, isTime }: ListOrder): Promise<boolean> {
  try {
    // Without the signal of the caller, because others wait for the same index.
    await transaction(detached(scope), async ({ em }) => {
      await query(em, sql`select set_config('statement_timeout', ${String(BUILD_TIMEOUT)}, true)`);
      await query(em, sql`select ${sql.raw(index)}_build(${listId}::uuid, ${column}, ${isTime}::boolean)`);
    });
    return true;
  } catch (err) {
    log.warn({ err, index, listId }, 'Could not build the page index of a list');
    return false;
  }
}
