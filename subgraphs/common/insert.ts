import type { EntityClass } from '@mikro-orm/postgresql';
import { query, sql } from './database.ts';
import type { Scope } from './scope.ts';

/**
 * Insert plain objects as rows of an entity, all in one statement with one value: nothing is hydrated, and the text stays short
 * however many there are. Each has every property. Throws the mapper's exceptions, such as for a value that is taken.
 */
export async function insertRows<T extends object>({ em, services }: Scope, entity: EntityClass<T>, rows: T[]): Promise<void> {
  const { schema, tableName, props } = services.orm.getMetadata(entity);
  const columns = props.map(({ name, fieldNames, columnTypes }) => ({ name, column: `"${fieldNames[0]}"`, type: columnTypes[0] }));
  const table = sql.raw(`${schema}.${tableName} (${columns.map(({ column }) => column).join(', ')})`);
  const names = sql.raw(columns.map(({ name }) => `"${name}"`).join(', '));
  const given = sql.raw(columns.map(({ name, type }) => `"${name}" ${type}`).join(', '));
  const values = JSON.stringify(rows);
  const statement = sql`insert into ${table} select ${names} from json_to_recordset(${values}::json) as given (${given})`;
  await query(em, statement).catch((error: Error) => {
    throw em.getDriver().convertException(error);
  });
}
