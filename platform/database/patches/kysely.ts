/**
 * Kysely 0.29.6 writes failures of a statement whose caller has left to standard error: the cancellation itself, and a `TypeError` of its cancel
 * request when the statement ended meanwhile. Upstream would have to offer a handler of failures in the background.
 */
import type { AbortableOperationOptions, CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type pg from 'pg';
import { log } from '../../telemetry/index.ts';

const QUERY_CANCELED = '57014';

/** Makes a statement that an abort has canceled return no rows. Its caller already has the reason of the signal. */
export async function quietAborted(created: unknown): Promise<void> {
  const connection = created as DatabaseConnection;
  const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
  connection.executeQuery = async <R>(query: CompiledQuery, options?: AbortableOperationOptions): Promise<QueryResult<R>> => {
    try {
      return await execute<R>(query, options);
    } catch (err) {
      if (!options?.signal?.aborted || (err as pg.DatabaseError).code !== QUERY_CANCELED) throw err;
      log.debug({ err }, 'A statement ended after its caller');
      return { rows: [] };
    }
  };
  const cancel = connection.cancelQuery?.bind(connection);
  connection.cancelQuery = (provider) =>
    // If the request fails, the statement timeout applies.
    cancel!(provider).catch((err: unknown) => log.debug({ err }, 'Failed to cancel a statement'));
}
