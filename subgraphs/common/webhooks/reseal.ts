import type { Pool } from 'pg';
import { resealColumn } from '../reseal.ts';
import type { Secrets } from '../secrets.ts';
import { secretName } from './attempt.ts';

/** Reseal the signing secrets of webhooks with the first key. */
export const resealSigningSecrets = (pool: Pool, secrets: Secrets): Promise<void> =>
  resealColumn(pool, secrets, { table: 'webhooks.subscriptions', column: 'secret', nameOf: secretName });
