import type { Pool } from 'pg';
import { SESSION_HEADER, SESSION_LIFETIME } from '../../schema/session.ts';
import type { Access, Caller } from '../scope/index.ts';
import { hashKey, readKey } from './keys.ts';

/** The hashed secret of a request. */
export interface Credential {
  kind: 'key' | 'session';
  hash: Buffer;
  /** False when it cannot be valid, so that no query is needed. */
  wellFormed: boolean;
}

export interface CallerRecord {
  caller: Caller;
  expiresAt: Date | null;
  disabled: boolean;
  /** Only of sessions. */
  lastUsedAt?: Date;
}

/** Maximum organizations of a user that a key has access to, oldest memberships first. */
const MOST_ORGANIZATIONS = 1_000;

/** Days after which an unused session ends. */
export const IDLE_DAYS = 14;

/** When a session `s` ends, in SQL. */
export const SESSION_END = `least(s.last_used_at + interval '${IDLE_DAYS} days', s.created_at + interval '${SESSION_LIFETIME} seconds')`;

const ORGANIZATIONS = `
  select json_agg(json_build_object('id', o.id, 'slug', o.slug, 'name', o.name, 'role', m.role, 'plan', o.plan, 'modules', o.modules)
                  order by o.name, o.id)
    from (select * from identity.memberships where user_id = u.id order by joined_at limit ${MOST_ORGANIZATIONS}) m
    join identity.organizations o on o.id = m.organization_id`;

const FIND = {
  key: `
    select k.hash, k.id as "keyId", k.organization_id as "keyOrganization", k.workspace_id as "workspaceId", k.expires_at as "expiresAt",
           k.disabled_at is not null as disabled,
           k.operator, k.tool_groups as "toolGroups", u.id as "userId", u.name, u.email,
           coalesce((${ORGANIZATIONS} where not k.operator), '[]') as organizations
      from identity.api_keys k join identity.users u on u.id = k.user_id
     where k.hash = any($1) and k.revoked_at is null`,
  session: `
    select s.token_hash as hash, s.id as "keyId", s.id as "sessionId", null as "keyOrganization", null as "workspaceId", ${SESSION_END} as "expiresAt", false as disabled,
           false as operator, '{}'::text[] as "toolGroups", s.last_used_at as "lastUsedAt", u.id as "userId", u.name, u.email,
           coalesce((${ORGANIZATIONS}), '[]') as organizations
      from identity.sessions s join identity.users u on u.id = s.user_id
     where s.token_hash = any($1)`,
};

/** The credential of a request: its API key, or else its session. */
export function credentialOf(headers: Readonly<Record<string, string | undefined>>): Credential | undefined {
  const { key, wellFormed } = readKey(headers);
  if (key) return { kind: 'key', hash: hashKey(key), wellFormed };
  const session = headers[SESSION_HEADER];
  if (!session) return undefined;
  const hash = Buffer.from(session, 'base64url');
  return { kind: 'session', hash, wellFormed: hash.length === 32 };
}

/** Identifies a credential in maps. */
export const nameOf = ({ kind, hash }: Pick<Credential, 'kind' | 'hash'>) => `${kind}:${hash.toString('base64')}`;

/** Read the records of credentials with one statement for each kind. */
export async function readCallers(pool: Pool, credentials: readonly Credential[]): Promise<Map<string, CallerRecord>> {
  const found = new Map<string, CallerRecord>();
  for (const kind of ['key', 'session'] as const) {
    const hashes = new Map(credentials.filter((each) => each.kind === kind).map((each) => [nameOf(each), each.hash]));
    if (hashes.size === 0) continue;
    const { rows } = await pool.query({ name: `find-${kind}-callers`, text: FIND[kind], values: [[...hashes.values()]] });
    for (const row of rows) found.set(nameOf({ kind, hash: row.hash }), recordOf(row));
  }
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: a row of the statements above
function recordOf({ hash: _, keyId, keyOrganization, expiresAt, lastUsedAt, disabled, ...user }: any): CallerRecord {
  const own = user.organizations.filter((each: Access) => each.id === keyOrganization);
  const organizations = user.workspaceId ? own : user.organizations;
  return {
    caller: { ...user, keyId, boundOrganizationId: own[0]?.id ?? null, organizations },
    // MikroORM configures this pool to return timestamps as text.
    expiresAt: expiresAt && new Date(expiresAt),
    ...(lastUsedAt && { lastUsedAt: new Date(lastUsedAt) }),
    disabled,
  };
}
