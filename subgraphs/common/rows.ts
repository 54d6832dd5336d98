import type { EntityClass, EntityMetadata, MikroORM, QueryOrderMap } from '@mikro-orm/postgresql';
import type { Budget } from 'compiled-gateway';
import pg from 'pg';
import type { Statements } from './statements.ts';

/** The part of a scope that reads rows. */
interface Reader {
  organizationId: string;
  services: { orm: MikroORM; statements: Statements };
  signal?: AbortSignal;
  budget?: Budget;
}

/** Puts a value into a statement and gives its placeholder. */
export type Bind = (value: unknown) => string;

export interface Rows<T extends object> {
  /** All but the lazy ones unless named. */
  columns?: readonly (keyof T & string)[];
  /** What is read besides, by its name: SQL on the table as `r`. */
  joined?: Readonly<Record<string, string>>;
  /** A list means one of its values. */
  where?: { [K in keyof T]?: T[K] | readonly T[K][] };
  /** A condition in SQL beside `where`, on the table as `r`. */
  matching?: (bind: Bind) => string;
  orderBy?: QueryOrderMap<T>;
  /** An order in SQL instead of `orderBy`, on the table as `r`. */
  ordering?: string;
}

interface Part {
  limit: number;
  offset: number;
}

/**
 * Rows of an entity as plain objects, never hydrated: what is shown is read by this, entities are for changes. Bound to the
 * organization of the scope. Reads what is committed, so it is not for use within a transaction.
 */
export async function readRows<T extends object>(scope: Reader, entity: EntityClass<T>, rows: Rows<T>, part?: Part): Promise<T[]> {
  const metadata = scope.services.orm.getMetadata(entity);
  const { values, bind } = binder();
  const text = selectOf(metadata, rows, fromWhere(scope, metadata, rows, bind), bind, part);
  return run<T>(scope, text, values, rows.matching === undefined);
}

/** Rows that hold counts, so that a total costs a sum of few instead of counting all. */
export interface Tally<T extends object> {
  entity: EntityClass<T>;
  sum: keyof T & string;
  where?: Rows<T>['where'];
}

/** A part of the rows with how many there are in all, in one statement: one round trip, one state of the data. */
export async function readPart<T extends object, C extends object>(
  scope: Reader,
  entity: EntityClass<T>,
  rows: Rows<T>,
  part: Part,
  tally?: Tally<C>,
): Promise<{ rows: T[]; total: number }> {
  const metadata = scope.services.orm.getMetadata(entity);
  const { values, bind } = binder();
  const from = fromWhere(scope, metadata, rows, bind);
  const total = tally ? sumOf(scope, tally, bind) : `select count(*) as "$total" ${from}`;
  const text = `select * from (${total}) t left join lateral (${selectOf(metadata, rows, from, bind, part)}) p on true`;
  const found = await run<T & { $total: number }>(scope, text, values, rows.matching === undefined);
  // Without rows there is still the total, beside nulls.
  const none = found.length === 1 && Object.entries(found[0]!).every(([name, value]) => name === '$total' || value === null);
  return { rows: none ? [] : found, total: found[0]!.$total };
}

function selectOf<T extends object>(metadata: EntityMetadata<T>, rows: Rows<T>, from: string, bind: Bind, part?: Part): string {
  const named = Object.entries(rows.orderBy ?? {}).map(
    ([name, way]) => `${columnOf(metadata, name)} ${way === 'desc' ? 'desc' : 'asc'}`,
  );
  const order = rows.ordering ?? named.join(', ');
  const text = [
    `select ${[selectionOf(metadata, rows.columns), ...joinedOf(rows)].join(', ')} ${from}`,
    order && `order by ${order}`,
    part && `limit ${bind(part.limit)} offset ${bind(part.offset)}`,
  ];
  return text.filter(Boolean).join(' ');
}

function sumOf<T extends object>(scope: Reader, { entity, sum, where }: Tally<T>, bind: Bind): string {
  const metadata = scope.services.orm.getMetadata(entity);
  return `select coalesce(sum(${columnOf(metadata, sum)}), 0) as "$total" ${fromWhere(scope, metadata, { where }, bind)}`;
}

/** How many rows there are, without their limit. */
export async function countRows<T extends object>(scope: Reader, entity: EntityClass<T>, rows: Rows<T>): Promise<number> {
  const { values, bind } = binder();
  const from = fromWhere(scope, scope.services.orm.getMetadata(entity), rows, bind);
  const [row] = await run<{ count: number }>(scope, `select count(*) ${from}`, values, rows.matching === undefined);
  return row!.count;
}

function fromWhere<T extends object>(
  scope: Reader,
  metadata: EntityMetadata<T>,
  { where = {}, matching }: Rows<T>,
  bind: Bind,
): string {
  const terms: string[] = [];
  // The mark of `@Tenant()`: whatever else is asked for, rows of other organizations are not among the answers.
  if ('organization' in metadata.filters) terms.push(`${columnOf(metadata, 'organizationId')} = ${bind(scope.organizationId)}`);
  for (const [name, value] of Object.entries(where)) {
    if (value === undefined) continue;
    const column = columnOf(metadata, name);
    if (value === null) terms.push(`${column} is null`);
    else terms.push(Array.isArray(value) ? `${column} = any(${bind(value)})` : `${column} = ${bind(value)}`);
  }
  if (matching) terms.push(matching(bind));
  const { schema, tableName } = metadata;
  return `from ${schema}.${tableName} r${terms.length > 0 ? ` where ${terms.join(' and ')}` : ''}`;
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

/** Lists name their columns by a constant, so the text of each is written once. */
function selectionOf<T extends object>(metadata: EntityMetadata<T>, columns?: readonly string[]): string {
  const key = columns ?? metadata;
  const known = selections.get(key);
  if (known) return known;
  const names = columns ?? metadata.props.filter(({ lazy }) => !lazy).map(({ name }) => name as string);
  const selection = names.map((name) => `${columnOf(metadata, name)} as "${name}"`).join(', ');
  selections.set(key, selection);
  return selection;
}

const NUMERIC = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);
/** The mapper has its pool hand out text; amounts and counters are far from where a number would lose digits. */
const types = {
  getTypeParser: ((id: number) => (NUMERIC.has(id) ? Number : pg.types.getTypeParser(id))) as typeof pg.types.getTypeParser,
};

const names = new Map<string, string>();
/** Each connection of the database keeps every statement that was prepared on it. */
const mostNames = 1_000;

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size === mostNames) return known;
  const name = `rows ${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** Prepare each text once per connection, except a search, whose plan depends on its pattern. */
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
