import { hash, randomBytes } from 'node:crypto';
import type { GraphQLError } from 'graphql';
import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import type { Pool } from 'pg';
import { fail } from '../../schema/errors.ts';
import { SESSION_HEADER, SESSION_LIFETIME } from '../../schema/request.ts';
import { afterCommit, clock, SizedCache } from '../database/index.ts';
import type { Notifications } from '../queues/index.ts';
import type { Access, Caller } from '../scope/index.ts';
import type { Secrets } from '../secrets/index.ts';
import { log } from '../telemetry/index.ts';

const TTL = 30_000;
/** Milliseconds between two recorded uses of a session. */
const TOUCH_INTERVAL = 60_000;
/** Days after which an unused session ends. */
export const IDLE_DAYS = 14;

/** When a session `s` ends, in SQL. */
export const SESSION_END = `least(s.last_used_at + interval '${IDLE_DAYS} days', s.created_at + interval '${SESSION_LIFETIME} seconds')`;
/** A session that has ended stays ended. */
const TOUCH = `
  update identity.sessions s set last_used_at = now()
   where s.id = $1 and s.last_used_at < now() - interval '1 minute' and ${SESSION_END} > now()`;
/** Cache budget in bytes. */
const BUDGET = 16 * 1024 * 1024;
/** Estimated bytes of a cache entry, and of each organization of its user. */
const ENTRY = 1_024;
const ACCESS = 512;

interface CacheEntry {
  at: number;
  record: Promise<CallerRecord | null>;
}

/**
 * Authenticates callers. It caches results for 30 seconds, and clears the cache when any process changes a key, a member or a plan, or
 * ends a session.
 */
export class Callers {
  readonly #cache = new SizedCache<string, CacheEntry>(BUDGET);
  readonly #unlisten: () => void;

  constructor(
    private readonly pool: Pool,
    notifications: Notifications,
    private readonly secrets: Secrets,
  ) {
    this.#unlisten = notifications.on('identity', () => this.forget());
  }

  /** The caller of these headers. Throws `MISSING_KEY`, `INVALID_KEY` or `UNKNOWN_KEY`. */
  async identify(headers: Readonly<Record<string, string | undefined>>): Promise<Caller> {
    const token = headers[AGENT_TOKEN_HEADER];
    if (token !== undefined) return agentCaller(await readAgentToken(this.secrets, token));
    const credential = credentialOf(headers);
    if (!credential) throw fail('MISSING_KEY', 'Missing API Key');
    const caller = callerOf(credential, credential.wellFormed ? await this.#find(credential) : null);
    if (caller instanceof Error) throw caller;
    return caller;
  }

  /** Authenticate many callers again, without the cache. Returns an error for each credential that is no longer valid. */
  async identifyAll(all: Readonly<Record<string, string | undefined>>[]): Promise<(Caller | GraphQLError)[]> {
    const credentials = all.map((headers) => credentialOf(headers) ?? NO_CREDENTIAL);
    const records = await readCallers(
      this.pool,
      credentials.filter(({ wellFormed }) => wellFormed),
    );
    return credentials.map((credential) => callerOf(credential, records.get(nameOf(credential))));
  }

  /**
   * Clear the cache after the commit of the current transaction. Call it after every change of a key, a member or a plan, because the
   * next request may arrive before the notification.
   */
  forget(): void {
    afterCommit(() => this.#cache.clear());
  }

  close(): void {
    this.#unlisten();
  }

  #find(credential: Credential): Promise<CallerRecord | null> {
    const id = nameOf(credential);
    const cached = this.#cache.get(id);
    if (cached && performance.now() - cached.at < TTL) return cached.record;
    const record = readCallers(this.pool, [credential]).then((all) => all.get(id) ?? null);
    const entry = { at: performance.now(), record };
    this.#cache.set(id, entry, ENTRY);
    record.then(
      (result) => {
        this.#resize(id, entry, result);
        if (result) this.#touch(result);
      },
      () => this.#cache.delete(id),
    );
    return record;
  }

  /** Record the use of a session, at most once a minute. Nobody waits for it. */
  #touch({ caller, lastUsedAt }: CallerRecord): void {
    if (!lastUsedAt || clock.ms() - lastUsedAt.getTime() < TOUCH_INTERVAL) return;
    this.pool
      .query(TOUCH, [caller.sessionId])
      .catch((error: unknown) => log.warn({ err: error }, 'Failed to record the use of a session'));
  }

  /** Set the final size of an entry after its query, unless it has been evicted. */
  #resize(id: string, entry: CacheEntry, record: CallerRecord | null): void {
    const organizations = record?.caller.organizations.length ?? 0;
    if (organizations > 0 && this.#cache.get(id) === entry) this.#cache.set(id, entry, ENTRY + ACCESS * organizations);
  }
}

/** An agent has no user, so it gets access to its organization only. */
const agentCaller = ({ organizationId, agentId }: AgentIdentity): Caller => ({
  userId: agentId,
  name: 'Agent',
  email: '',
  keyId: `agent:${agentId}`,
  clientName: 'agent',
  boundOrganizationId: organizationId,
  organizations: [{ id: organizationId, slug: organizationId, name: '', role: 'member', plan: 'free', modules: [] }],
  workspaceId: null,
  operator: false,
  toolGroups: [],
  isAgent: true,
});

const NO_CREDENTIAL: Credential = { kind: 'key', hash: Buffer.alloc(0), wellFormed: false };

function callerOf({ kind, wellFormed }: Credential, record: CallerRecord | null | undefined): Caller | GraphQLError {
  const hasEnded = record?.disabled || (record?.expiresAt && record.expiresAt.getTime() <= clock.ms());
  if (record && !hasEnded) return record.caller;
  if (kind === 'session') return fail('INVALID_KEY', 'The session has ended. Sign in again.');
  return fail(record || !wellFormed ? 'INVALID_KEY' : 'UNKNOWN_KEY', 'Invalid API Key');
}

/** The hashed secret of a request. */
interface Credential {
  kind: 'key' | 'session';
  hash: Buffer;
  /** False when it cannot be valid, so that no query is needed. */
  wellFormed: boolean;
}

interface CallerRecord {
  caller: Caller;
  expiresAt: Date | null;
  disabled: boolean;
  /** Only of sessions. */
  lastUsedAt?: Date;
}

/** Maximum organizations of a user that a key has access to, oldest memberships first. */
const MOST_ORGANIZATIONS = 1_000;

const ORGANIZATIONS = `
  select json_agg(json_build_object('id', o.id, 'slug', o.slug, 'name', o.name, 'role', m.role, 'plan', o.plan, 'modules', o.modules)
                  order by o.name, o.id)
    from (select * from identity.memberships where user_id = u.id order by joined_at limit ${MOST_ORGANIZATIONS}) m
    join identity.organizations o on o.id = m.organization_id`;

const FIND = {
  key: `
    select k.hash, k.id as "keyId", k.name as "clientName", k.organization_id as "keyOrganization", k.workspace_id as "workspaceId", k.expires_at as "expiresAt",
           k.disabled_at is not null as disabled,
           k.operator, k.tool_groups as "toolGroups", u.id as "userId", u.name, u.email,
           coalesce((${ORGANIZATIONS} where not k.operator), '[]') as organizations
      from identity.api_keys k join identity.users u on u.id = k.user_id
     where k.hash = any($1) and k.revoked_at is null`,
  session: `
    select s.token_hash as hash, s.id as "keyId", s.id as "sessionId", 'dashboard' as "clientName", null as "keyOrganization", null as "workspaceId", ${SESSION_END} as "expiresAt", false as disabled,
           false as operator, '{}'::text[] as "toolGroups", s.last_used_at as "lastUsedAt", u.id as "userId", u.name, u.email,
           coalesce((${ORGANIZATIONS}), '[]') as organizations
      from identity.sessions s join identity.users u on u.id = s.user_id
     where s.token_hash = any($1)`,
};

/** The credential of a request: its API key, or else its session. */
function credentialOf(headers: Readonly<Record<string, string | undefined>>): Credential | undefined {
  const { key, wellFormed } = readKey(headers);
  if (key) return { kind: 'key', hash: hashKey(key), wellFormed };
  const session = headers[SESSION_HEADER];
  if (!session) return undefined;
  const hash = Buffer.from(session, 'base64url');
  return { kind: 'session', hash, wellFormed: hash.length === 32 };
}

/** Identifies a credential in maps. */
const nameOf = ({ kind, hash }: Pick<Credential, 'kind' | 'hash'>) => `${kind}:${hash.toString('base64')}`;

/** Read the records of credentials with one statement for each kind. */
async function readCallers(pool: Pool, credentials: readonly Credential[]): Promise<Map<string, CallerRecord>> {
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

const FORM = /^ck_[A-Za-z0-9_-]{43}$/;

/** Create a key of 256 random bits. Only its hash and first characters are stored. */
export function makeKey(): { key: string; prefix: string; hash: Buffer } {
  const key = `ck_${randomBytes(32).toString('base64url')}`;
  return { key, prefix: key.slice(0, 10), hash: hashKey(key) };
}

/** Create the token of an invitation: 256 random bits. Only its hash is stored. */
export const makeToken = () => `ci_${randomBytes(32).toString('base64url')}`;

/** Create the token of a sign-in link: 256 random bits. Only its hash is stored. */
export const makeLinkToken = () => `cl_${randomBytes(32).toString('base64url')}`;

/** An unsalted SHA-256 is sufficient, because 256 random bits cannot be guessed. */
export const hashKey = (key: string) => hash('sha256', key, 'buffer');

/** Read the key of a request from `x-api-key`, or else from `Authorization: Bearer`. */
function readKey(headers: Readonly<Record<string, string | undefined>>): { key?: string; wellFormed: boolean } {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  const key = headers['x-api-key']?.trim() || bearer || (headers.authorization ? 'malformed' : undefined);
  return { key, wellFormed: key !== undefined && FORM.test(key) };
}

/** An agent that reads the graph for its organization. */
export interface AgentIdentity {
  organizationId: string;
  agentId: string;
}

/** Carries the token. Servers never forward this header from outside. */
export const AGENT_TOKEN_HEADER = 'x-agent-token';

/** Separates these tokens from other tokens that the same secret signs. */
const AUDIENCE = 'agent-graph';
/** Seconds. A token serves one operation. */
const LIFETIME = 30;
/** Seconds that the clocks of two hosts may differ. */
const CLOCK_TOLERANCE = 5;

/** Sign a token that identifies an agent for one operation. */
export const signAgentToken = (secrets: Secrets, { organizationId, agentId }: AgentIdentity): Promise<string> =>
  new SignJWT({ organizationId })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(agentId)
    .setAudience(AUDIENCE)
    .setIssuedAt(clock.now())
    .setExpirationTime(new Date(clock.ms() + LIFETIME * 1_000))
    .sign(secrets.tokenKey(AUDIENCE));

/** The agent of a token. Throws `INVALID_KEY` for forged and expired tokens. */
export async function readAgentToken(secrets: Secrets, token: string): Promise<AgentIdentity> {
  for (const key of secrets.tokenKeys(AUDIENCE)) {
    const verified = await jwtVerify<{ organizationId: string }>(token, key, {
      audience: AUDIENCE,
      algorithms: ['HS256'],
      currentDate: clock.now(),
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ['sub', 'exp', 'organizationId'],
    }).catch(() => undefined);
    if (verified) return { organizationId: verified.payload.organizationId, agentId: verified.payload.sub! };
  }
  throw fail('INVALID_KEY', 'Invalid API Key');
}

/** The organization that a token names, without a check of its signature: for a fair share of connections, not for access. */
export function organizationOfToken(token: string): string | undefined {
  try {
    return decodeJwt<{ organizationId?: string }>(token).organizationId;
  } catch {
    return undefined;
  }
}
