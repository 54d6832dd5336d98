import { database } from '../support/seed.ts';
import { readUntil } from '../support/until.ts';

export const ERASE = 'mutation ($id: ID!) { eraseContact(id: $id) { id completedAt } }';
export const EXPORT = 'query ($id: ID!, $after: String) { exportContact(id: $id, after: $after) { records endCursor } }';
const PROGRESS =
  'query ($id: ID!) { contactErasure(contactId: $id) { completedAt conversations messages leads submissions tickets } }';

type GraphQL = (query: string, variables?: Record<string, unknown>) => Promise<Record<string, never>>;

/** Wait until a contact is erased, and return the counts. */
export const erased = async (graphql: GraphQL, id: string) => {
  const { contactErasure } = await readUntil(
    () => graphql(PROGRESS, { id }),
    (read) => (read.contactErasure as unknown as { completedAt: string | null }).completedAt !== null,
  );
  return contactErasure;
};

/** All parts of an export. */
export async function readExport(graphql: GraphQL, id: string) {
  const records: Record<string, unknown>[] = [];
  for (let after: string | null = null, parts = 0; parts === 0 || after !== null; parts += 1) {
    const { exportContact } = (await graphql(EXPORT, { id, after })) as unknown as {
      exportContact: { records: Record<string, unknown>[]; endCursor: string | null };
    };
    records.push(...exportContact.records);
    after = exportContact.endCursor;
  }
  return records;
}

/** The tables of the whole database that contain a text in any column, also in binary ones. */
export async function tablesWith(text: string, databaseUrl: string): Promise<string[]> {
  const { rows: tables } = await database(databaseUrl).query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'`,
  );
  const hex = Buffer.from(text, 'latin1').toString('hex');
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await database(databaseUrl).query(
        `select 1 from ${name} t where position(lower($1) in lower(t::text)) > 0 or position($2 in t::text) > 0 limit 1`,
        [text, hex],
      );
      return rows.length > 0 ? [name] : [];
    }),
  );
  return found.flat().sort();
}
