/**
 * Kysely 0.29.6 writes failures of a statement whose caller has left to standard error: the cancellation itself, and a `TypeError` of its cancel
 * request when the statement ended meanwhile. Upstream would have to offer a handler of failures in the background.
 */
import type { AbortableOperationOptions, CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { log } from '../../telemetry/index.ts';

/** Makes failures after an abort return no rows. Their callers already have the reason of the signal. */
export async function quietAborted(created: unknown): Promise<void> {
  const connection = created as DatabaseConnection;
  const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
  connection.executeQuery = async <R>(query: CompiledQuery, options?: AbortableOperationOptions): Promise<QueryResult<R>> => {
    try {
      return await execute<R>(query, options);
    } catch (err) {
      if (!options?.signal?.aborted) throw err;
      log.debug({ err }, 'A statement ended after its caller');
      return { rows: [] };
    }
  };
  const cancel = connection.cancelQuery?.bind(connection);
  connection.cancelQuery = (provider) =>
    // If the request fails, the statement timeout applies.
    cancel!(provider).catch((err: unknown) => log.debug({ err }, 'Failed to cancel a statement'));
}
