import type { Pool } from 'pg';
import { resealColumn, type Secrets } from '../../../platform/secrets/index.ts';
import { secretName } from './values.ts';

/** Reseal the secrets of tools with the first key. */
export const resealToolSecrets = (pool: Pool, secrets: Secrets): Promise<void> =>
  resealColumn(pool, secrets, { table: 'agent.secrets', column: 'sealed', nameOf: secretName });
