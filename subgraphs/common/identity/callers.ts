import { SizedCache } from 'compiled-gateway/cache';
import type { GraphQLError } from 'graphql';
import type { Pool } from 'pg';
import { type ErrorCode, fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import type { Notifications } from '../notifications.ts';
import type { Secrets } from '../secrets.ts';
import { afterCommit } from '../transactions.ts';
import { AGENT_TOKEN_HEADER, type AgentIdentity, readAgentToken } from './agent-token.ts';
import { hashKey, readKey } from './keys.ts';

/** An organization from the view of a member. */
export interface Access {
  id: string;
  slug: string;
  name: string;
  role: Word<'Role'>;
  plan: Word<'Plan'>;
  modules: Word<'Module'>[];
}

/** The user of a valid key, with the organizations of the user. */
export interface Caller {
  userId: string;
  name: string;
  email: string;
  keyId: string;
  /** The organization that the key was created in; null when its user is no longer a member. */
  boundOrganizationId: string | null;
  /** Only that of the key if the key is bound to a workspace. */
  organizations: Access[];
  /** The workspace that the key is bound to, whose content is all that it reaches. */
  workspaceId: string | null;
  /** The MCP tools that the key may call. */
  toolGroups: Word<'ToolGroup'>[];
  /** Whether this is an operator key, which may change accounts but has access to no organization. */
  operator: boolean;
  /** Whether this is an agent, which reaches only the fields of the level `agent`. */
  isAgent?: boolean;
}

interface KeyRecord {
  caller: Caller;
  expiresAt: Date | null;
  disabled: boolean;
}

/** Maximum organizations of a user that a key has access to, oldest memberships first. */
const MOST_ORGANIZATIONS = 1_000;

const TTL = 30_000;
/** Cache budget in bytes. */
const BUDGET = 16 * 1024 * 1024;
/** Estimated bytes of a cache entry, and of each organization of its user. */
const ENTRY = 1_024;
const ACCESS = 512;

interface CacheEntry {
  at: number;
  record: Promise<KeyRecord | null>;
}

const FIND = `
  select k.hash, k.id as "keyId", k.organization_id as "keyOrganization", k.workspace_id as "workspaceId", k.expires_at as "expiresAt", k.disabled_at is not null as disabled,
         k.operator, k.tool_groups as "toolGroups", u.id as "userId", u.name, u.email,
         coalesce((select json_agg(json_build_object('id', o.id, 'slug', o.slug, 'name', o.name, 'role', m.role, 'plan', o.plan,
                                                     'modules', o.modules) order by o.name, o.id)
                     from (select * from identity.memberships where user_id = u.id order by joined_at limit ${MOST_ORGANIZATIONS}) m
                     join identity.organizations o on o.id = m.organization_id
                    where not k.operator), '[]') as organizations
    from identity.api_keys k join identity.users u on u.id = k.user_id
   where k.hash = any($1) and k.revoked_at is null`;

/** Authenticates callers. It caches results for 30 seconds, and clears the cache when any process changes a key, a member or a plan. */
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
    const { key, wellFormed } = readKey(headers);
    if (!key) throw fail('MISSING_KEY', 'Missing API Key');
    if (!wellFormed) throw refuse('INVALID_KEY');
    const caller = callerOf(await this.#find(key));
    if (caller instanceof Error) throw caller;
    return caller;
  }

  /** Authenticate many callers again with one statement, without the cache. Returns an error for each key that is no longer valid. */
  async identifyAll(all: Readonly<Record<string, string | undefined>>[]): Promise<(Caller | GraphQLError)[]> {
    const hashes = all.map((headers) => hashKey(readKey(headers).key ?? ''));
    const names = hashes.map(nameOf);
    const records = await this.#read([...new Map(hashes.map((hash, place) => [names[place], hash])).values()]);
    return names.map((name) => callerOf(records.get(name)));
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

  #find(key: string): Promise<KeyRecord | null> {
    const hash = hashKey(key);
    const id = nameOf(hash);
    const cached = this.#cache.get(id);
    if (cached && Date.now() - cached.at < TTL) return cached.record;
    const record = this.#read([hash]).then((all) => all.get(id) ?? null);
    const entry = { at: Date.now(), record };
    this.#cache.set(id, entry, ENTRY);
    record.then(
      (result) => this.#resize(id, entry, result),
      () => this.#cache.delete(id),
    );
    return record;
  }

  /** Set the final size of an entry after its query, unless it has been evicted. */
  #resize(id: string, entry: CacheEntry, record: KeyRecord | null): void {
    const organizations = record?.caller.organizations.length ?? 0;
    if (organizations > 0 && this.#cache.get(id) === entry) this.#cache.set(id, entry, ENTRY + ACCESS * organizations);
  }

  async #read(hashes: Buffer[]): Promise<Map<string, KeyRecord>> {
    const { rows } = await this.pool.query({ name: 'find-callers', text: FIND, values: [hashes] });
    return new Map(rows.map((row) => [nameOf(row.hash), keyRecordOf(row)]));
  }
}

/** An agent has no user, so it gets access to its organization only. */
const agentCaller = ({ organizationId, agentId }: AgentIdentity): Caller => ({
  userId: agentId,
  name: 'Agent',
  email: '',
  keyId: `agent:${agentId}`,
  boundOrganizationId: organizationId,
  organizations: [{ id: organizationId, slug: organizationId, name: '', role: 'member', plan: 'free', modules: [] }],
  workspaceId: null,
  operator: false,
  toolGroups: [],
  isAgent: true,
});

const nameOf = (hash: Buffer) => hash.toString('base64');
const refuse = (code: ErrorCode) => fail(code, 'Invalid API Key');

function callerOf(record: KeyRecord | null | undefined): Caller | GraphQLError {
  if (!record) return refuse('UNKNOWN_KEY');
  if (record.disabled || (record.expiresAt && record.expiresAt.getTime() <= Date.now())) return refuse('INVALID_KEY');
  return record.caller;
}

// biome-ignore lint/suspicious/noExplicitAny: a row of the statement above
function keyRecordOf({ hash: _, keyId, keyOrganization, expiresAt, disabled, ...user }: any): KeyRecord {
  const own = user.organizations.filter((each: Access) => each.id === keyOrganization);
  const organizations = user.workspaceId ? own : user.organizations;
  // MikroORM configures this pool to return timestamps as text.
  return {
    caller: { ...user, keyId, boundOrganizationId: own[0]?.id ?? null, organizations },
    expiresAt: expiresAt && new Date(expiresAt),
    disabled,
  };
}
