import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { StepwiseMigration } from './online.ts';

/** A large table with a column `at` that becomes partitioned by weeks of it. */
export interface Unpartitioned {
  schema: string;
  table: string;
  /** Columns of the primary key, without `at`. */
  key: readonly string[];
  /** The only foreign key. Its rows are deleted with the referenced one. */
  reference: { column: string; table: string };
  triggers: Readonly<Record<string, string>>;
}

/** Weeks that the existing rows and the next ones share a partition. */
const FIRST_WEEKS = 4;
const [LOCK_NOT_AVAILABLE, DEADLOCK] = ['55P03', '40P01'];

/**
 * Attempts to lock tables. A migration that waits with a lock can close a cycle of waiting writers, and PostgreSQL would cancel the one that has
 * waited for a second. So the first attempts wait for milliseconds.
 */
const QUICK = { attempts: 600, lockTimeout: '5ms', pause: 25 };
const PATIENT = { attempts: 600, lockTimeout: '500ms', pause: 1_000 };
/** PostgreSQL cancels an autovacuum only for those who wait for longer than a second. */
const [EVERY, LONG_TIMEOUT] = [10, '1500ms'];
/** Detect deadlocks before the writers do, so that the migration is canceled. Only some roles may set this. */
const YIELD = `select set_config('deadlock_timeout', '1ms', true) where has_parameter_privilege('deadlock_timeout', 'set')`;

/**
 * Partitions a table without waiting for or delaying its readers and writers. The existing table becomes the first partition, so no row
 * is copied. Each step locks the table for milliseconds.
 */
export abstract class PartitioningMigration extends StepwiseMigration {
  protected abstract readonly unpartitioned: Unpartitioned;

  protected override migrate(client: pg.Client): Promise<void> {
    return partition(client, this.unpartitioned);
  }
}

async function partition(client: pg.Client, given: Unpartitioned): Promise<void> {
  const { schema, table, key, reference, triggers } = given;
  const [name, first, next] = [`${schema}.${table}`, `${schema}.${table}_before`, `${schema}.${table}_next`];
  const { rows } = await client.query(
    `select relkind = 'p' as done, (date_trunc('week', now(), 'UTC') + interval '${FIRST_WEEKS + 1} weeks')::text as ends_at
       from pg_class where oid = $1::regclass`,
    [name],
  );
  if (rows[0].done) return;
  const range = `from (minvalue) to ('${rows[0].ends_at}')`;
  const columns = [...key, 'at'].join(', ');

  await client.query(`drop index concurrently if exists ${schema}.${table}_key`);
  await client.query(`create unique index concurrently ${table}_key on ${name} (${columns})`);
  // A valid constraint spares the scan when the table is attached.
  const unlimit = `alter table ${name} drop constraint if exists ${table}_first`;
  await briefly(client, unlimit);
  try {
    await briefly(client, `alter table ${name} add constraint ${table}_first check (at < '${rows[0].ends_at}') not valid`);
    await client.query(`alter table ${name} validate constraint ${table}_first`);
    await briefly(
      client,
      `drop table if exists ${next};
       create table ${next} (like ${name} including defaults) partition by range (at);
       alter table ${next} add constraint ${table}_key_next primary key (${columns});
       alter table ${next} add constraint ${table}_${reference.column}_fkey foreign key (${reference.column}) references ${reference.table}
         on delete cascade deferrable initially deferred;
       create table ${schema}.${table}_default partition of ${next} default`,
    );
    // The order of the locks is that of writers.
    await briefly(
      client,
      `lock table ${reference.table} in share row exclusive mode;
       lock table ${name} in access exclusive mode;
       ${Object.keys(triggers)
         .map((trigger) => `drop trigger ${trigger} on ${name};`)
         .join('\n')}
       alter table ${name} drop constraint ${table}_pkey;
       alter table ${name} add constraint ${table}_before_pkey primary key using index ${table}_key;
       alter table ${name} rename to ${table}_before;
       alter table ${next} rename to ${table};
       alter table ${name} rename constraint ${table}_key_next to ${table}_pkey;
       alter table ${name} attach partition ${first} for values ${range};
       ${Object.values(triggers).join(';\n')};
       alter table ${first} drop constraint ${table}_first`,
    );
  } catch (error) {
    // Otherwise the table would refuse the rows of later weeks.
    await client.query(unlimit).catch(() => {});
    throw error;
  }
  const added = `select identity.add_partition('${name}', now() + interval '${FIRST_WEEKS + 4} weeks') as added`;
  try {
    while ((await client.query(added)).rows[0].added);
  } catch (error) {
    // The sweep adds the partitions later; the first one lasts for weeks.
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
  }
}

/** Runs statements in one transaction, that of their query, which soon gives up its locks and tries again. */
async function briefly(client: pg.Client, statements: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { lockTimeout, pause } = attempt <= QUICK.attempts ? QUICK : PATIENT;
    const timeout = lockTimeout === PATIENT.lockTimeout && attempt % EVERY === 0 ? LONG_TIMEOUT : lockTimeout;
    try {
      await client.query(`${YIELD}; set local lock_timeout = '${timeout}'; set local statement_timeout = 0; ${statements}`);
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      if ((code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) || attempt === QUICK.attempts + PATIENT.attempts) throw error;
      await wait(pause);
    }
  }
}
