import type { Pool } from 'pg';
import { ConfigurationError } from '../../schema/environment.ts';
import { log } from '../telemetry/index.ts';
import type { SecretName, Secrets } from './secrets.ts';

const PAGE = 500;

/** A table with sealed secrets, an `id` and an `organization_id`. */
interface SealedColumn {
  table: 'webhooks.subscriptions' | 'agent.secrets' | 'agent.signing_secrets';
  column: 'secret' | 'previous_secret' | 'sealed' | 'previous_sealed';
  nameOf(row: { id: string; organizationId: string }): SecretName;
}

interface Row {
  id: string;
  organizationId: string;
  secret: Buffer;
}

/**
 * Reseal secrets of earlier keys with the first key, so that the earlier keys can be removed. Skips secrets whose key is not listed.
 * Several workers may run it concurrently.
 */
export async function resealColumn(pool: Pool, secrets: Secrets, sealed: SealedColumn): Promise<void> {
  const { table, column } = sealed;
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await pool.query<Row>(
      `select id, organization_id as "organizationId", ${column} as secret from ${table}
        where id > $1 and ${column} is not null order by id limit ${PAGE}`,
      [after],
    );
    for (const row of rows) if (!secrets.isCurrent(row.secret)) await reseal(pool, secrets, sealed, row);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.id;
  }
}

async function reseal(
  pool: Pool,
  secrets: Secrets,
  { table, column, nameOf }: SealedColumn,
  { secret, ...row }: Row,
): Promise<void> {
  const name = nameOf(row);
  if (!secrets.canOpen(secret)) return log.warn({ table, id: row.id }, 'SECRETS_KEY does not list the key that sealed a secret');
  // Keep a secret that was replaced concurrently.
  await pool.query(`update ${table} set ${column} = $2 where id = $1 and ${column} = $3`, [
    row.id,
    secrets.seal(secrets.open(secret, name), name),
    secret,
  ]);
}

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
