import type { AbortableOperationOptions, CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';

/** PostgreSQL's code of a statement that was cancelled. */
const CANCELLED = '57014';

/**
 * A statement of the mapper that is cancelled ends without rows instead of failing: whoever ran it has been given the reason of the
 * signal by then, and the mapper's query layer would write each such failure to standard error.
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
