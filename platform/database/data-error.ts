/** SQLSTATE classes of values that a column or PostgreSQL itself cannot hold: data exceptions, and exceeded limits of the program. */
const classes = new Set(['22', '54']);
const CHECK_VIOLATION = '23514';

/** Whether PostgreSQL rejected the values of a statement. The same statement fails again, unlike after an outage. */
export function isDataError(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && code.length === 5) return code === CHECK_VIOLATION || classes.has(code.slice(0, 2));
  return cause !== undefined && isDataError(cause);
}
