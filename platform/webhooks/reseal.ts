import type { Pool } from 'pg';
import { resealColumn, type Secrets } from '../secrets/index.ts';
import { secretName } from './attempt.ts';

/** Reseal the signing secrets of webhooks with the first key. */
export async function resealSigningSecrets(pool: Pool, secrets: Secrets): Promise<void> {
  for (const column of ['secret', 'previous_secret'] as const)
    await resealColumn(pool, secrets, { table: 'webhooks.subscriptions', column, nameOf: secretName });
}
