import type { Pool } from 'pg';
import { SESSION_LIFETIME } from '../../schema/session.ts';
import { deleteOld, SWEEP_BUDGET } from '../database/index.ts';
import { IDLE_DAYS } from './callers.ts';

/** The condition of `SESSION_END` in a form that uses the indexes. The lock keeps a session that a request uses at the same time. */
const SESSIONS = `
  delete from identity.sessions where id in (
    select id from identity.sessions where last_used_at < now() - make_interval(days => $1)
       or created_at < now() - interval '${SESSION_LIFETIME} seconds' limit $2 for update skip locked)`;

/** Until then, the user of a link reads that it expired. */
const LINK_DAYS = 7;
const LINKS = `
  delete from identity.sign_in_links where token_hash in (
    select token_hash from identity.sign_in_links where expires_at < now() - make_interval(days => $1) limit $2)`;

/** Delete sessions and sign-in links that ended, and return their number. */
export const sweepSessions = async (pool: Pool): Promise<number> =>
  (await deleteOld(pool, SESSIONS, IDLE_DAYS, SWEEP_BUDGET / 2)) + (await deleteOld(pool, LINKS, LINK_DAYS, SWEEP_BUDGET / 2));

const DAYS = 400;
const EXPIRED = `
  delete from identity.audit_entries where id in (
    select id from identity.audit_entries where created_at < now() - make_interval(days => $1) limit $2)`;

/** Delete old entries of the audit log, and return their number. */
export const sweepAudit = (pool: Pool): Promise<number> => deleteOld(pool, EXPIRED, DAYS);
