import type { EntityManager } from '@mikro-orm/postgresql';
import type { AbortableOperationOptions, CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';

// The only code that relies on internals of the mapper and its query layer; `cancellation.test.ts` fails when an upgrade changes them.

/** PostgreSQL's code of a statement that was cancelled. */
const CANCELLED = '57014';

/** The signal of an entity manager or of its transaction. The mapper passes it to its own statements only. */
export function abortOptionsOf(em: EntityManager): AbortableOperationOptions | undefined {
  // biome-ignore lint/complexity/useLiteralKeys: the method is protected
  return em['getAbortOptions']();
}

/**
 * Let cancelled statements of a connection end without rows instead of failing. Their callers already have the reason of the signal,
 * and the query layer would write each failure to standard error.
 */
export async function endCancelled(created: unknown): Promise<void> {
  const connection = created as DatabaseConnection;
  const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
  connection.executeQuery = async <R>(query: CompiledQuery, options?: AbortableOperationOptions): Promise<QueryResult<R>> => {
    try {
      return await execute<R>(query, options);
    } catch (error) {
      if (options?.signal?.aborted && (error as { code?: string }).code === CANCELLED) return { rows: [] };
      throw error;
    }
  };
}
