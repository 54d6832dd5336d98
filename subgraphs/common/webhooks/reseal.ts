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
 * Seal again with the first key what an earlier one sealed, so that the earlier one can be removed. Skips secrets of keys that are not
 * listed. Several workers may run it at once.
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
    return log.warn({ subscription: row.id }, 'the secret of a webhook was sealed by a key that is not listed');
  // A secret that was replaced meanwhile stays as it is.
  await pool.query('update webhooks.subscriptions set secret = $2 where id = $1 and secret = $3', [
    row.id,
    secrets.seal(secrets.open(secret, name), name),
    secret,
  ]);
}
