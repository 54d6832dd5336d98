import type { Pool } from 'pg';
import { log } from '../log.ts';
import type { Secrets } from '../secrets.ts';
import { secretName } from './attempt.ts';

const PAGE = 500;

interface Row {
  id: string;
  organizationId: string;
  secret: Buffer;
}

/**
 * Reseal secrets of earlier keys with the first key, so that the earlier keys can be removed. Skips secrets whose key is not listed.
 * Several workers may run it concurrently.
 */
export async function resealSigningSecrets(pool: Pool, secrets: Secrets): Promise<void> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await pool.query<Row>(
      `select id, organization_id as "organizationId", secret from webhooks.subscriptions where id > $1 and secret is not null order by id limit ${PAGE}`,
      [after],
    );
    for (const row of rows) if (!secrets.isCurrent(row.secret)) await reseal(pool, secrets, row);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.id;
  }
}

async function reseal(pool: Pool, secrets: Secrets, { secret, ...row }: Row): Promise<void> {
  const name = secretName(row);
  if (!secrets.canOpen(secret))
    return log.warn({ subscription: row.id }, 'SECRETS_KEY does not list the key that sealed the secret of a webhook');
  // Keep a secret that was replaced concurrently.
  await pool.query('update webhooks.subscriptions set secret = $2 where id = $1 and secret = $3', [
    row.id,
    secrets.seal(secrets.open(secret, name), name),
    secret,
  ]);
}
