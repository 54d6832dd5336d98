import { validate } from 'uuid';
import { fail } from '../../schema/errors.ts';

/** Whether text has the form of an id. Treat other text as not found: PostgreSQL would reject the query. */
export const isId = (text: string): boolean => validate(text);

/** The spelling of an id that the database gives: callers may write it in capitals. */
export const canonicalId = (text: string): string => (isId(text) ? text.toLowerCase() : text);

/**
 * The rows of ids that must all exist, each once and in the given order. Throws `NOT_FOUND` with `missingIds`.
 * @param kind names the records in the refusal: `Product` makes 'Product not found'
 * @param read gets well-formed ids and returns the rows that exist
 */
export async function requireAll<Row extends { id: string }>(
  ids: readonly string[],
  kind: string,
  read: (ids: string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const wanted = [...new Set(ids.map(canonicalId))];
  const known = wanted.filter(isId);
  const rows = new Map((known.length > 0 ? await read(known) : []).map((row) => [row.id, row]));
  const missingIds = wanted.filter((id) => !rows.has(id));
  if (missingIds.length > 0) throw fail('NOT_FOUND', `${kind} not found`, { missingIds });
  return wanted.map((id) => rows.get(id)!);
}
