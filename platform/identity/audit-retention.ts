import type { Pool } from 'pg';
import { deleteOld } from '../database/index.ts';

const DAYS = 400;
const EXPIRED = `
  delete from identity.audit_entries where id in (
    select id from identity.audit_entries where created_at < now() - make_interval(days => $1) limit $2)`;

/** Delete old entries of the audit log, and return their number. */
export const sweepAudit = (pool: Pool): Promise<number> => deleteOld(pool, EXPIRED, DAYS);
