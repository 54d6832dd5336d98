import type { Pool } from 'pg';

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

type Query = (this: unknown, statement: unknown, ...rest: unknown[]) => unknown;

/** Lets the connections of a pool prepare the statements of the query builder that have a name. Call it before the first connection. */
export function prepareNamed(pool: Pool): void {
  pool.on('connect', (client) => {
    client.query = ((statement: unknown, ...rest: unknown[]) => {
      const name = typeof statement === 'string' ? names.get(statement) : undefined;
      const { query } = Object.getPrototypeOf(client) as { query: Query };
      return name === undefined ? query.call(client, statement, ...rest) : query.call(client, { name, text: statement }, ...rest);
    }) as typeof client.query;
  });
}
