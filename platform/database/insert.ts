import type { EntityClass, EntityMetadata } from '@mikro-orm/postgresql';
import type { Scope } from '../scope/index.ts';
import { actorOf } from './actor.ts';
import { queryPrepared, sql } from './database.ts';

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
