import type { EntityClass } from '@mikro-orm/postgresql';
import { readRows } from '../database/index.ts';
import type { RequestScope } from '../scope/index.ts';

/** A reader of a large column that lists omit. It batches all ids of one tick into one query, and returns null for an unknown id. */
export function columnReader<T extends { id: string }, K extends keyof T & string>(entity: EntityClass<T>, column: K) {
  // A constant, because `readRows` caches the SQL text per array of columns.
  const columns = ['id', column] as const;
  return (scope: RequestScope, id: string): Promise<T[K] | null> =>
    scope.batch(`${entity.name}.${column}`, async (ids) => {
      const found = await readRows(scope, entity, { columns, where: { id: ids } as object });
      return new Map(found.map((row) => [row.id, row[column]]));
    })(id);
}
