import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { keepAlive } from './keep-alive.ts';

const CONNECT_TIMEOUT = 10_000;

/**
 * A migration of indexes or rows of a large table, which neither reads nor writes wait for. Its statements run one by one, outside of a
 * transaction, because PostgreSQL builds indexes concurrently only there. Each must be safe to repeat, because an interrupted migration runs again.
 */
export abstract class OnlineMigration extends Migration {
  protected abstract readonly statements: readonly string[];

  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    // Not from the pool, which has the statement timeout of requests, and may have a single connection.
    const client = new pg.Client({
      ...{ connectionString: this.config.get('clientUrl'), connectionTimeoutMillis: CONNECT_TIMEOUT },
      ...keepAlive,
    });
    client.on('error', () => {});
    await client.connect();
    try {
      for (const statement of this.statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }
}

/** Statements that build an index concurrently. They first drop what an interrupted build left. */
export const buildIndex = (name: `${string}.${string}`, definition: string): string[] => [
  `drop index concurrently if exists ${name}`,
  `create index concurrently ${name.split('.')[1]} on ${definition}`,
];
