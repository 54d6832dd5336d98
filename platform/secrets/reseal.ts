import type { Pool } from 'pg';
import { log } from '../telemetry/index.ts';
import type { SecretName, Secrets } from './secrets.ts';

const PAGE = 500;

/** A table with sealed secrets, an `id` and an `organization_id`. */
export interface SealedColumn {
  table: 'webhooks.subscriptions' | 'agent.secrets';
  column: 'secret' | 'previous_secret' | 'sealed';
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
