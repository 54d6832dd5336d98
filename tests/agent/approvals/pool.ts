import pg from 'pg';

/** A pool of connections to a database of a test, which ends with the test file. */
export function callerPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 2 });
  // The database is dropped before the pool ends.
  pool.on('error', () => {});
  afterAll(() => pool.end());
  return pool;
}
