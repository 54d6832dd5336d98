import type { EntityManager } from '@mikro-orm/postgresql';
import type { AbortableOperationOptions, CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';

// Relies on internals of MikroORM and Kysely; `cancellation.test.ts` fails when an upgrade changes them.

/** SQLSTATE of a canceled statement. */
const CANCELED = '57014';

/** The abort options of an entity manager or of its transaction. MikroORM passes them only to its own statements. */
export function abortOptionsOf(em: EntityManager): AbortableOperationOptions | undefined {
  // biome-ignore lint/complexity/useLiteralKeys: the method is protected
  return em['getAbortOptions']();
}

/**
 * Make canceled statements of a connection return no rows instead of an error. Their callers already get the reason of the signal, and
 * Kysely would write each error to standard error.
 */
export async function endCanceled(created: unknown): Promise<void> {
  const connection = created as DatabaseConnection;
  const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
  connection.executeQuery = async <R>(query: CompiledQuery, options?: AbortableOperationOptions): Promise<QueryResult<R>> => {
    try {
      return await execute<R>(query, options);
    } catch (error) {
      if (options?.signal?.aborted && (error as { code?: string }).code === CANCELED) return { rows: [] };
      throw error;
    }
  };
}
