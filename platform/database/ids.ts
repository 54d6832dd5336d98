import { validate } from 'uuid';
import { fail } from '../../schema/errors.ts';

/** Whether text has the form of an id. Treat other text as not found: PostgreSQL would reject the query. */
export const isId = (text: string): boolean => validate(text);

/** The lower-case form of an id, as the database returns it. Callers may use upper case. */
export const canonicalId = (text: string): string => (isId(text) ? text.toLowerCase() : text);

/** Maximum number of ids in `missingIds`; as many as an enrichment may have products. */
const MAX_MISSING = 5_000;

/**
 * Read the rows of ids that must all exist, without duplicates and in the order of the ids. Throws `NOT_FOUND` with the first 5,000 `missingIds`.
 * @param kind name of the record in the error message: `Product` yields 'Product not found'
 * @param read receives well-formed ids and returns the rows that exist
 */
export async function requireAll<Row extends { id: string }>(
  ids: readonly string[],
  kind: string,
  read: (ids: string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const unique = [...new Set(ids.map(canonicalId))];
  const wellFormed = unique.filter(isId);
  const rows = new Map((wellFormed.length > 0 ? await read(wellFormed) : []).map((row) => [row.id, row]));
  const missingIds = unique.filter((id) => !rows.has(id)).slice(0, MAX_MISSING);
  if (missingIds.length > 0) throw fail('NOT_FOUND', `${kind} not found`, { missingIds });
  return unique.map((id) => rows.get(id)!);
}
