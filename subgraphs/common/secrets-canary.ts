import type { Pool } from 'pg';
import { ConfigurationError } from '../../schema/environment.ts';
import type { Secrets } from './secrets.ts';

const name = { organizationId: '', name: 'canary' };
const TEXT = 'SECRETS_KEY fits this database';

const otherKey = () =>
  new ConfigurationError([
    'SECRETS_KEY is not the key that encrypted the secrets in this database. Set it to the earlier key, or to <new>,<earlier> to replace that one; ' +
      '`npm start` stores its key in secrets.key of the data folder',
  ]);

/**
 * Compare `SECRETS_KEY` with the one of the database, which the first process records by a sealed row. Throws `ConfigurationError`
 * when it is another one. Processes that start at once agree on the first row.
 */
export async function checkSecretsKey(pool: Pool, secrets: Secrets): Promise<void> {
  const canary = (await readCanary(pool)) ?? (await createCanary(pool, secrets));
  if (!secrets.canOpen(canary)) throw otherKey();
}

async function readCanary(pool: Pool): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ sealed: Buffer }>('select sealed from identity.secrets_canary');
  return rows[0]?.sealed;
}

async function createCanary(pool: Pool, secrets: Secrets): Promise<Buffer> {
  // A database from before the canary already has secrets.
  const { rows } = await pool.query<{ secret: Buffer }>(
    'select distinct on (substring(secret for 5)) secret from webhooks.subscriptions where secret is not null',
  );
  if (rows.some(({ secret }) => !secrets.canOpen(secret))) throw otherKey();
  await pool.query('insert into identity.secrets_canary (sealed) values ($1) on conflict do nothing', [secrets.seal(TEXT, name)]);
  return (await readCanary(pool))!;
}

/** Seal the canary with the first key. From then on a process must list that key, and may leave out the earlier ones. */
export async function resealCanary(pool: Pool, secrets: Secrets): Promise<void> {
  const canary = await readCanary(pool);
  if (!canary || secrets.isCurrent(canary)) return;
  // Another worker may have done the same meanwhile.
  await pool.query('update identity.secrets_canary set sealed = $1 where sealed = $2', [secrets.seal(TEXT, name), canary]);
}
