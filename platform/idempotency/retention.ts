import type { Pool } from 'pg';
import { deleteOld, SWEEP_BUDGET } from '../database/index.ts';

/** A key that is used again at the same time is locked, and stays. */
const EXPIRED = `
  delete from identity.idempotency_keys where hash in (
    select hash from identity.idempotency_keys where created_at < now() - make_interval(days => $1) limit $2 for update skip locked)`;

/** Delete the responses that are no longer repeated, because they contain personal data. Returns their number. */
export const sweepResponses = (pool: Pool): Promise<number> => deleteOld(pool, EXPIRED, 1, SWEEP_BUDGET / 2);
