import type { Pool } from 'pg';
import { wrapQuery } from './patches/pg.ts';

const names = new Map<string, string>();
/** Each connection keeps all of its prepared statements, so their number is limited. */
const MAX_NAMES = 1_000;

/** The name by which connections prepare a statement once. Undefined for further statements when there are too many. */
export function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size === MAX_NAMES) return known;
  const name = `statement ${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** Lets the connections of a pool prepare the statements of the query builder that have a name. Call it before the first connection. */
export const prepareNamed = (pool: Pool): void =>
  wrapQuery(pool, (query) => (statement, ...rest) => {
    const name = typeof statement === 'string' ? names.get(statement) : undefined;
    return name === undefined ? query(statement, ...rest) : query({ name, text: statement as string }, ...rest);
  });
