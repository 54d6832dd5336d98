import type { GraphQLError } from 'graphql';
import type { Pool } from 'pg';
import { fail } from '../../schema/errors.ts';
import { afterCommit, clock, SizedCache } from '../database/index.ts';
import type { Notifications } from '../queues/index.ts';
import type { Caller } from '../scope/index.ts';
import type { Secrets } from '../secrets/index.ts';
import { log } from '../telemetry/index.ts';
import { AGENT_TOKEN_HEADER, type AgentIdentity, readAgentToken } from './agent-token.ts';
import { type CallerRecord, type Credential, credentialOf, nameOf, readCallers, SESSION_END } from './caller-records.ts';

const TTL = 30_000;
/** Milliseconds between two recorded uses of a session. */
const TOUCH_INTERVAL = 60_000;
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
