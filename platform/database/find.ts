import type { EntityClass, EntityManager, EntityMetadata, LockMode } from '@mikro-orm/postgresql';
import { fail } from '../../schema/errors.ts';
import { field, output } from '../fields/index.ts';
import { canonicalId, isId, type Reader, type Rows, readRows } from './rows.ts';
import 'reflect-metadata';
import { ID, ObjectType } from 'type-graphql';
import type { Scope } from '../scope/index.ts';
import { actorOf, queryPrepared, sql } from './database.ts';

/** Maximum number of ids in `missingIds`; as many as an enrichment may have products. */
const MAX_MISSING = 5_000;

/**
 * Read the rows of ids that must all exist, without duplicates and in the order of the ids. Throws `NOT_FOUND` with the first 5,000 `missingIds`.
 * @param kind name of the record in the error message: `Product` yields 'Product not found'
 * @param read receives well-formed ids and returns the rows that exist
 */
export async function requireAll<Row extends { id: string }>(
  ids: readonly string[],
  kind: string,
  read: (ids: string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const unique = [...new Set(ids.map(canonicalId))];
  const wellFormed = unique.filter(isId);
  const rows = new Map((wellFormed.length > 0 ? await read(wellFormed) : []).map((row) => [row.id, row]));
  const missingIds = unique.filter((id) => !rows.has(id)).slice(0, MAX_MISSING);
  if (missingIds.length > 0) throw fail('NOT_FOUND', `${kind} not found`, { missingIds });
  return unique.map((id) => rows.get(id)!);
}

interface Identified {
  id: string;
}

interface Selection<T> {
  /** Further conditions; a row that does not meet them is not found. */
  where?: Partial<T>;
  lockMode?: LockMode;
  /** Read an entity again that the entity manager has read before. */
  refresh?: boolean;
  /** Lazy columns to read. */
  populate?: readonly (keyof T & string)[];
}

/**
 * Find the entity of an id. Throws `NOT_FOUND`, also for a malformed id.
 * @param kind name of the record in the error message: `Product` yields 'Product not found'
 */
export async function findById<T extends Identified>(
  em: EntityManager,
  entity: EntityClass<T>,
  id: string,
  kind: string,
  { where, ...options }: Selection<T> = {},
): Promise<T> {
  const found = isId(id) ? await em.findOne(entity as EntityClass<Identified>, { ...where, id }, options as object) : null;
  return (found as T | null) ?? notFound(kind);
}

/** Like `findById`, for a plain row of committed data. */
export async function readById<T extends Identified>(
  scope: Reader,
  entity: EntityClass<T>,
  id: string,
  kind: string,
  rows: Pick<Rows<T>, 'columns' | 'where'> = {},
): Promise<T> {
  const [row] = isId(id) ? await readRows(scope, entity, { ...rows, where: { ...rows.where, id } as Rows<T>['where'] }) : [];
  return row ?? notFound(kind);
}

/** Delete the row of an id. Throws `NOT_FOUND`, also for a malformed id. */
export async function deleteById<T extends Identified>(
  em: EntityManager,
  entity: EntityClass<T>,
  id: string,
  kind: string,
  where?: Partial<T>,
): Promise<{ id: string; deleted: true }> {
  const deleted = isId(id) ? await em.nativeDelete(entity as EntityClass<Identified>, { ...where, id }) : 0;
  return deleted > 0 ? { id, deleted: true } : notFound(kind);
}

function notFound(kind: string): never {
  throw fail('NOT_FOUND', `${kind} not found`);
}

/** Base class of the payloads that confirm a deletion. */
@ObjectType()
export abstract class Deletion extends output({
  id: field(ID),
  deleted: field(Boolean, 'Always true.'),
}) {}

/**
 * Insert plain objects as rows of an entity with one statement and one parameter. It hydrates no entities, and the text of the statement
 * does not grow with the rows. Each object must have all properties. Throws the exceptions of MikroORM, such as for a duplicate value.
 */
export async function insertRows<T extends object>({ em, services }: Scope, entity: EntityClass<T>, rows: T[]): Promise<void> {
  const { table, names, definitions } = partsOf(services.orm.getMetadata(entity));
  // A transaction knows its actor. A statement of its own sets the actor before it inserts.
  const actor = em.isInTransaction() ? undefined : actorOf(em);
  const setting = actor === undefined ? sql`` : sql`(select set_config('audit.actor', ${actor}, true)) as actor, `;
  const given = sql`json_to_recordset(${JSON.stringify(rows)}::json) as given (${definitions})`;
  const statement = sql`insert into ${table} select ${names} from ${setting}${given}`;
  await queryPrepared(em, statement).catch((error: Error) => {
    throw em.getDriver().convertException(error);
  });
}

const known = new WeakMap<object, ReturnType<typeof writeParts>>();

/** The parts of the statement of an entity, written once. */
function partsOf<T>(metadata: EntityMetadata<T>) {
  const parts = known.get(metadata) ?? writeParts(metadata);
  known.set(metadata, parts);
  return parts;
}

function writeParts<T>({ schema, tableName, props }: EntityMetadata<T>) {
  const columns = props.map(({ name, fieldNames, columnTypes }) => ({ name, column: `"${fieldNames[0]}"`, type: columnTypes[0] }));
  return {
    table: sql.raw(`${schema}.${tableName} (${columns.map(({ column }) => column).join(', ')})`),
    names: sql.raw(columns.map(({ name }) => `"${name}"`).join(', ')),
    definitions: sql.raw(columns.map(({ name, type }) => `"${name}" ${type}`).join(', ')),
  };
}
