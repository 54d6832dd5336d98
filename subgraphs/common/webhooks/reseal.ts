import type { Pool } from 'pg';
import type { Secrets } from '../secrets.ts';
import { secretName } from './attempt.ts';

const PAGE = 500;

/** Seal with the present key what an earlier one has sealed, so that the earlier one can go. Safe to run anywhere at the same time. */
export async function resealSigningSecrets(pool: Pool, secrets: Secrets): Promise<void> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await pool.query<{ id: string; organizationId: string; secret: Buffer }>(
      `select id, organization_id as "organizationId", secret from webhooks.subscriptions where id > $1 and secret is not null order by id limit ${PAGE}`,
      [after],
    );
    for (const { secret, ...row } of rows.filter((each) => !secrets.isCurrent(each.secret))) {
      const name = secretName(row);
      const anew = secrets.seal(secrets.open(secret, name), name);
      // A secret that was replaced meanwhile is left alone.
      await pool.query('update webhooks.subscriptions set secret = $2 where id = $1 and secret = $3', [row.id, anew, secret]);
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.id;
  }
}
