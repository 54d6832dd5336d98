/** Milliseconds that an operation has to end first, so that callers get its own error. */
const MARGIN = 1_000;
const MIN = 30_000;

/**
 * Timeout of a request to a subgraph in another process, in milliseconds. The signal of an operation ends its requests earlier, so the
 * timeout applies to requests without a deadline, such as those for the events of a subscription.
 * @param operationTimeout in seconds
 */
export const linkTimeout = (operationTimeout: number): number => Math.max(MIN, operationTimeout * 1_000 + MARGIN);
