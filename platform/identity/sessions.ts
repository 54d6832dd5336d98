import type { EntityManager } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { v7 as uuid } from 'uuid';
import { fail } from '../../schema/errors.ts';
import { type NewSession, SESSION_LIFETIME } from '../../schema/request.ts';
import { deleteOld, isId, lockName, query, SWEEP_BUDGET, sql } from '../database/index.ts';
import { type RequestScope, type Scope, transaction, transactional } from '../scope/index.ts';
import { IDLE_DAYS, SESSION_END } from './callers.ts';
import { checkGrant, currentRole, findMembership } from './members.ts';

/** Maximum sessions of a user. A new one ends the session that was unused for the longest time. */
export const MOST_SESSIONS = 50;

const end = sql.raw<Date>(SESSION_END);

/** Serialize the sign-ins of a user. Take it before the locks of sessions, because another sign-in may end the same session. */
export const lockSessions = (em: EntityManager, userId: string): Promise<void> => lockName(em, `sessions of ${userId}`);

/** Create a session of a user whose sign-ins the transaction of `em` has locked. */
export async function createSession(em: EntityManager, userId: string, { tokenHash, userAgent }: NewSession): Promise<void> {
  // Sessions that a request uses, or a sign-in of another user replaces, are skipped. The locks keep the times of the others current.
  const idle = await query(
    em,
    sql<{ id: string }>`select id from identity.sessions where user_id = ${userId} order by id for update skip locked`,
  );
  await query(
    em,
    sql`delete from identity.sessions where id in (
          select id from identity.sessions where id = any(${idle.map(({ id }) => id)}::uuid[]) order by last_used_at, id
           limit (select greatest(count(*) - ${MOST_SESSIONS - 1}, 0) from identity.sessions where user_id = ${userId}))`,
  );
  await query(
    em,
    sql`insert into identity.sessions (id, user_id, token_hash, device)
        values (${uuid()}, ${userId}, ${Buffer.from(tokenHash, 'base64url')}, ${deviceOf(userAgent)})`,
  );
}

/** The sessions of the caller that have not ended, last used first. */
export async function listSessions(scope: RequestScope) {
  const { userId, sessionId } = scope.caller;
  const sessions = await query(
    scope.em,
    sql<{ id: string; device: string; createdAt: string; lastUsedAt: string; expiresAt: string }>`
      select s.id, s.device, s.created_at as "createdAt", s.last_used_at as "lastUsedAt", ${end} as "expiresAt"
        from identity.sessions s where s.user_id = ${userId} and ${end} > now()
       order by s.last_used_at desc, s.id desc limit ${MOST_SESSIONS}`,
  );
  return sessions.map(({ id, device, createdAt, lastUsedAt, expiresAt }) => ({
    id,
    device,
    createdAt: new Date(createdAt),
    lastUsedAt: new Date(lastUsedAt),
    expiresAt: new Date(expiresAt),
    isCurrent: id === sessionId,
  }));
}

/** The session of a request and its user, or null without a valid session. */
export async function findCurrent({ em, who }: RequestScope) {
  if (who instanceof Error || !who.sessionId) return null;
  const [session] = await query(
    em,
    sql<{ expiresAt: string }>`select ${end} as "expiresAt" from identity.sessions s where s.id = ${who.sessionId}`,
  );
  return session ? { user: { id: who.userId, name: who.name, email: who.email }, expiresAt: new Date(session.expiresAt) } : null;
}

/** End a session of the caller. Throws `NOT_FOUND` for the session of another user. */
export async function endSession(scope: RequestScope, id: string): Promise<{ id: string; deleted: boolean }> {
  const { userId } = scope.caller;
  const ended = isId(id) ? await endWhere(scope, sql`user_id = ${userId} and id = ${id}`) : 0;
  if (ended === 0) throw fail('NOT_FOUND', 'Session not found');
  return { id, deleted: true };
}

/** End all sessions of the caller except the current one, and the open sign-in links. Returns the number of sessions. With an API key, all of them end. */
export function endOtherSessions(scope: RequestScope): Promise<number> {
  const { userId, sessionId = null } = scope.caller;
  return transactional(scope.em, async (em) => {
    await expireLinks(em, userId);
    return endWhere({ em, services: scope.services }, sql`user_id = ${userId} and id is distinct from ${sessionId}::uuid`);
  });
}

/**
 * End all sessions and open sign-in links of a member, and return the number of sessions. Throws `NOT_FOUND`, and `FORBIDDEN` for an owner
 * unless the actor is one, and for a member of other organizations, where the actor has no say.
 */
export function endMemberSessions(scope: Scope, actorId: string, userId: string): Promise<number> {
  return transaction(scope, async (inner) => {
    const actor = await currentRole(inner, actorId);
    const membership = await findMembership(inner, userId);
    checkGrant(actor, membership.role);
    if (membership.userId !== actorId) await requireOnlyMember(inner, userId);
    await expireLinks(inner.em, userId);
    return endWhere(inner, sql`user_id = ${userId}`);
  });
}

async function requireOnlyMember({ em, organizationId }: Scope, userId: string): Promise<void> {
  const others = await query(
    em,
    sql`select 1 from identity.memberships where user_id = ${userId} and organization_id <> ${organizationId} limit 1`,
  );
  if (others.length > 0)
    throw fail('FORBIDDEN', 'This member also belongs to other organizations, so only the member can end these sessions.');
}

/** A link that a user asked for earlier must not start a session again. */
const expireLinks = (em: EntityManager, userId: string) =>
  query(
    em,
    sql`update identity.sign_in_links set expires_at = now() where user_id = ${userId} and used_at is null and expires_at > now()`,
  );

/** End the session of a request, if it has one. */
export async function signOut({ em, services, who }: Pick<RequestScope, 'em' | 'services' | 'who'>): Promise<void> {
  if (who instanceof Error || !who.sessionId) return;
  await endWhere({ em, services }, sql`id = ${who.sessionId}`);
}

function endWhere({ em, services }: Pick<Scope, 'em' | 'services'>, condition: ReturnType<typeof sql>): Promise<number> {
  return transactional(em, async (inner) => {
    const ended = await query(inner, sql`delete from identity.sessions where ${condition} returning id`);
    services.callers.forget();
    return ended.length;
  });
}

/** Browsers by a word of their user agent. Browsers based on another one come first. */
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
];
const systems: readonly (readonly [string, RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/** A short name of a device for its user, such as "Firefox on Linux". */
function deviceOf(userAgent: string): string {
  const browser = browsers.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'Unknown browser';
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return system ? `${browser} on ${system}` : browser;
}

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
