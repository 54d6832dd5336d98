import type { Pool } from 'pg';
import { ConfigurationError } from '../../schema/environment.ts';
import type { Secrets } from './secrets.ts';

const name = { organizationId: '', name: 'canary' };
const TEXT = 'SECRETS_KEY fits this database';

const wrongKey = () =>
  new ConfigurationError([
    'SECRETS_KEY is not the key that encrypted the secrets in this database. Set it to the earlier key, or to <new>,<earlier> to replace that one; ' +
      '`npm start` stores its key in secrets.key of the data folder',
  ]);

/**
 * Check that `SECRETS_KEY` is the key of this database. The first process stores a sealed canary; later processes must be able to open it.
 * Throws `ConfigurationError` when none of the keys fits. Safe when several processes start at the same time.
 */
export async function checkSecretsKey(pool: Pool, secrets: Secrets): Promise<void> {
  const canary = (await readCanary(pool)) ?? (await createCanary(pool, secrets));
  if (!secrets.canOpen(canary)) throw wrongKey();
}

async function readCanary(pool: Pool): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ sealed: Buffer }>('select sealed from identity.secrets_canary');
  return rows[0]?.sealed;
}

async function createCanary(pool: Pool, secrets: Secrets): Promise<Buffer> {
  // A database older than the canary may already contain secrets.
  const { rows } = await pool.query<{ secret: Buffer }>(
    'select distinct on (substring(secret for 5)) secret from webhooks.subscriptions where secret is not null',
  );
  if (rows.some(({ secret }) => !secrets.canOpen(secret))) throw wrongKey();
  await pool.query('insert into identity.secrets_canary (sealed) values ($1) on conflict do nothing', [secrets.seal(TEXT, name)]);
  return (await readCanary(pool))!;
}

/** Reseal the canary with the first key. From then on, processes must list that key and may omit the earlier ones. */
export async function resealCanary(pool: Pool, secrets: Secrets): Promise<void> {
  const canary = await readCanary(pool);
  if (!canary || secrets.isCurrent(canary)) return;
  // Another worker may have resealed it concurrently.
  await pool.query('update identity.secrets_canary set sealed = $1 where sealed = $2', [secrets.seal(TEXT, name), canary]);
}
