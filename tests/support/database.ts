import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The template of an empty database. */
export const EMPTY = 'template1';

/** Create a separate database on the same server, as a copy of the template. `npm test` sets `TEST_TEMPLATE` to a migrated database. */
export async function createDatabase({
  beside = process.env.TEST_DATABASE_URL!,
  template = process.env.TEST_TEMPLATE ?? EMPTY,
} = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await run(beside, `create database ${name} template ${template}`);
  const url = new URL(beside);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(beside, `drop database ${name} with (force)`) };
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
