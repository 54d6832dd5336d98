import type { Table } from '../rest-adapter/route.ts';

/** Milliseconds that an operation has to end first, so that callers get its own error. */
const MARGIN = 1_000;

/**
 * Timeout of a request to a subgraph, in milliseconds. The signal of an operation ends its requests earlier, so the timeout only
 * applies to requests without a deadline, such as those for the events of a subscription.
 * @param operationTimeout in seconds; operations of forms have it for each file
 * @param tables the routes that receive forms
 */
export function linkTimeout(operationTimeout: number, tables: readonly Table[] = []): number {
  const rows = tables.flatMap((table) => Object.values(table.rows));
  const longest = Math.max(1, ...rows.map(({ files }) => files?.count ?? 1));
  return operationTimeout * longest * 1_000 + MARGIN;
}
