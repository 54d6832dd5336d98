import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Create a separate database on the same server, for tests with separate processes. */
export async function createDatabase(beside = process.env.TEST_DATABASE_URL!): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await run(beside, `create database ${name}`);
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
