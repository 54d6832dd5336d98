import type pg from 'pg';

/** The number of statements of a database that run `pg_sleep`. */
export async function sleepers(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  const statement = `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
  return (await pool.query(statement)).rows[0].count;
}
