import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { keepAlive } from '../database/index.ts';

const CONNECT_TIMEOUT = 10_000;

/** A migration without a transaction around it, so each step must be safe to repeat after an interruption. */
export abstract class StepwiseMigration extends Migration {
  /** Run the steps on a connection of their own. */
  protected abstract migrate(client: pg.Client): Promise<void>;

  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    const client = await this.connect();
    try {
      await this.migrate(client);
    } finally {
      await client.end();
    }
  }

  /** The pool has the statement timeout of requests, and may have a single connection. */
  protected async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...{ connectionString: this.config.get('clientUrl'), connectionTimeoutMillis: CONNECT_TIMEOUT },
      ...keepAlive,
    });
    client.on('error', () => {});
    await client.connect();
    return client;
  }
}

/** A migration of indexes that neither reads nor writes wait for. PostgreSQL builds such indexes outside of transactions. */
export abstract class OnlineMigration extends StepwiseMigration {
  protected abstract readonly statements: readonly string[];

  protected override async migrate(client: pg.Client): Promise<void> {
    for (const statement of this.statements) await client.query(statement);
  }
}

/** Statements that build an index concurrently. They first drop what an interrupted build left. */
export const buildIndex = (name: `${string}.${string}`, definition: string): string[] => [
  `drop index concurrently if exists ${name}`,
  `create index concurrently ${name.split('.')[1]} on ${definition}`,
];
