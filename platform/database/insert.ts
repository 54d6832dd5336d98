import type { EntityClass } from '@mikro-orm/postgresql';
import type { Scope } from '../scope/index.ts';
import { query, sql } from './database.ts';

/**
 * Insert plain objects as rows of an entity with one statement and one parameter. It hydrates no entities, and the text of the statement
 * does not grow with the rows. Each object must have all properties. Throws the exceptions of MikroORM, such as for a duplicate value.
 */
export async function insertRows<T extends object>({ em, services }: Scope, entity: EntityClass<T>, rows: T[]): Promise<void> {
  const { schema, tableName, props } = services.orm.getMetadata(entity);
  const columns = props.map(({ name, fieldNames, columnTypes }) => ({ name, column: `"${fieldNames[0]}"`, type: columnTypes[0] }));
  const table = sql.raw(`${schema}.${tableName} (${columns.map(({ column }) => column).join(', ')})`);
  const names = sql.raw(columns.map(({ name }) => `"${name}"`).join(', '));
  const definitions = sql.raw(columns.map(({ name, type }) => `"${name}" ${type}`).join(', '));
  const values = JSON.stringify(rows);
  const statement = sql`insert into ${table} select ${names} from json_to_recordset(${values}::json) as given (${definitions})`;
  await query(em, statement).catch((error: Error) => {
    throw em.getDriver().convertException(error);
  });
}
