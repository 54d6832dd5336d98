import { setTimeout as sleep } from 'node:timers/promises';
import { EventStream } from 'compiled-gateway/event-stream';
import { jwtVerify, SignJWT } from 'jose';
import { clock, isId, query, readRows, sql } from '../../../platform/database/index.ts';
import { withRetry } from '../../../platform/progress/index.ts';
import { detached, type RequestScope, type Scope } from '../../../platform/scope/index.ts';
import type { Secrets } from '../../../platform/secrets/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { Agent } from '../agents/entity.ts';
import { Approval } from '../approvals/entity.ts';
import { embeddedAgent, visitorIdOf } from '../chat/sender.ts';
import { modulesOf } from '../organizations/resolver.ts';
import type { HandoffToken } from '../widget/types.ts';
import { Handoff, type HandoffQueue } from './entity.ts';
import { QUEUE_CHANNEL } from './handoff-state.ts';

/** Milliseconds between two reads of the open handoffs of an organization. Changes in between are one update. */
const INTERVAL = 500;
const MAX_HANDOFFS = 100;

/** The open handoffs of one organization, read once for all of its subscribers in this process. */
class Queue {
  current: HandoffQueue | undefined;
  failure: unknown;
  readonly #wakes = new Set<() => void>();
  #isStale = false;
  #isReading = false;

  constructor(
    private readonly scope: Scope,
    private readonly onEmpty: () => void,
  ) {}

  join(wake: () => void): () => void {
    this.#wakes.add(wake);
    return () => {
      this.#wakes.delete(wake);
      if (this.#wakes.size === 0) this.onEmpty();
    };
  }

  /** Signals that the handoffs may have changed. */
  notify(): void {
    this.#isStale = true;
    if (!this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isStale && this.#wakes.size > 0) {
        this.#isStale = false;
        this.current = await withRetry(() => readQueue(this.scope));
        for (const wake of this.#wakes) wake();
        await sleep(INTERVAL, undefined, { ref: false });
      }
    } catch (error) {
      this.failure = error;
      this.onEmpty();
      for (const wake of this.#wakes) wake();
    } finally {
      this.#isReading = false;
    }
  }
}

async function readQueue(scope: Scope): Promise<HandoffQueue> {
  const counts = await query(
    scope.em,
    sql<{ status: string; count: number }>`select status, count(*)::int as count from agent.handoffs
                                            where organization_id = ${scope.organizationId} and status in ('waiting', 'active') group by 1`,
  );
  const countOf = (status: string) => counts.find((each) => each.status === status)?.count ?? 0;
  const ordering = `r.status = 'waiting' desc, r.created_at, r.id`;
  const matching = () => `r.status in ('waiting', 'active')`;
  const handoffs = await readRows(scope, Handoff, { matching, ordering }, { limit: MAX_HANDOFFS, offset: 0 });
  const waiting = { where: { status: 'pending', party: 'operator' }, orderBy: { createdAt: 'asc', id: 'asc' } } as const;
  const approvals = await readRows(scope, Approval, waiting, { limit: MAX_HANDOFFS, offset: 0 });
  return { waiting: countOf('waiting'), active: countOf('active'), handoffs, approvals };
}

const queues = new WeakMap<Services, Map<string, Queue>>();

function queuesOf(services: Services): Map<string, Queue> {
  const known = queues.get(services);
  if (known) return known;
  const all = new Map<string, Queue>();
  queues.set(services, all);
  services.notifications.on(QUEUE_CHANNEL, (organizationId) => {
    if (organizationId) return all.get(organizationId)?.notify();
    // Notifications of any organization may have been lost.
    for (const queue of all.values()) queue.notify();
  });
  return all;
}

function queueOf(scope: RequestScope): Queue {
  const all = queuesOf(scope.services);
  const { organizationId } = scope;
  const known = all.get(organizationId);
  if (known) return known;
  const queue: Queue = new Queue(detached(scope), () => all.get(organizationId) === queue && all.delete(organizationId));
  all.set(organizationId, queue);
  return queue;
}

/** Streams the open handoffs of the organization: now, and after each change. A slow subscriber skips to the newest state. */
export function followQueue(scope: RequestScope): EventStream<HandoffQueue> {
  const queue = queueOf(scope);
  let seen: HandoffQueue | undefined;
  let isEnded = false;
  let wake: (() => void) | undefined;
  const leave = queue.join(() => wake?.());
  if (!queue.current) queue.notify();
  const stream = new EventStream<HandoffQueue>(
    async () => {
      while (!queue.failure && !isEnded && (!queue.current || queue.current === seen))
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (queue.failure) throw queue.failure;
      seen = queue.current;
      return isEnded ? undefined : seen;
    },
    () => {
      isEnded = true;
      leave();
      wake?.();
    },
  );
  scope.signal?.addEventListener('abort', () => stream.end(), { once: true });
  return stream;
}

/** Seconds that a handoff token is valid. A widget renews it with the same request. */
const LIFETIME = 3_600;
/** Separates handoff tokens from other tokens that the same secret may sign. */
const AUDIENCE = 'handoff';

/** The conversation for which a visitor has a valid token. */
export interface TokenHolder {
  scope: Scope;
  conversationId: string;
  agentId: string;
  visitorId: string;
  /** Number of the last event of the conversation. */
  sequence: number;
  /** Seconds since 1970. */
  expiresAt: number;
}

/** Mint a token with which the visitor receives the messages of people in one conversation; by default the newest of the visitor. */
export async function mintHandoffToken(
  scope: RequestScope,
  publicSlug: string,
  visitorId: string | null | undefined,
  conversationId: string | null | undefined,
): Promise<HandoffToken> {
  const { services } = scope;
  const agent = await embeddedAgent(scope, publicSlug);
  const within = detached({ services, organizationId: agent.organizationId });
  await requireHandoffs(within);
  const visitor = await visitorIdOf(scope, agent, visitorId);
  const conversation = await findVisitorConversation(within, agent, visitor, conversationId);
  if (!conversation) throw fail('NOT_FOUND', 'Conversation not found');
  const expiresAt = new Date((Math.floor(clock.ms() / 1_000) + LIFETIME) * 1_000);
  const { organizationId } = agent;
  const token = await new SignJWT({ visitorId: visitor, agentId: agent.id, organizationId, version: conversation.version })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(conversation.id)
    .setAudience(AUDIENCE)
    .setIssuedAt(clock.now())
    .setExpirationTime(expiresAt)
    .sign(services.secrets.tokenKey(AUDIENCE));
  return { token, expiresAt, url: socketUrl(services.publicUrl) };
}

/** Throws `FORBIDDEN` unless the organization has the Helpdesk module. */
export async function requireHandoffs(scope: Scope): Promise<void> {
  if (!(await modulesOf(scope)).includes('helpdesk'))
    throw fail('FORBIDDEN', 'The handoff to people is not enabled for this agent.');
}

/** The named conversation of a visitor, by default the newest. */
export async function findVisitorConversation(
  { em }: Scope,
  agent: Agent,
  visitorId: string,
  id: string | null | undefined,
): Promise<{ id: string; version: number } | undefined> {
  const named = id && isId(id) ? sql`id = ${id}` : id ? sql`false` : sql`true`;
  const [found] = await query(
    em,
    sql<{ id: string; version: number }>`
      select id, handoff_version as version from agent.conversations
       where agent_id = ${agent.id} and visitor_id = ${visitorId} and channel = 'widget' and ${named}
       order by coalesce(last_message_at, created_at) desc limit 1`,
  );
  return found;
}

/**
 * The conversation of the token in the header `x-handoff-token`. Throws `INVALID_KEY` for a token that is malformed, expired, or revoked
 * because its handoff was closed.
 */
export async function readToken({ request, services, signal }: RequestScope): Promise<TokenHolder> {
  const token = request.headers['x-handoff-token'];
  if (!token) throw fail('MISSING_KEY', 'The handoff token is missing. Send it as `handoffToken` in `connectionParams`.');
  const claims = await verify(services.secrets, token);
  if (!claims) throw invalid();
  const { sub, exp, organizationId, version } = claims;
  const scope = { ...detached({ services, organizationId }), signal };
  const [found] = await query(
    scope.em,
    sql<Pick<TokenHolder, 'agentId' | 'visitorId' | 'sequence'>>`
      select agent_id as "agentId", visitor_id as "visitorId", event_sequence as sequence from agent.conversations
       where id = ${sub} and organization_id = ${organizationId} and channel = 'widget' and handoff_version = ${version}`,
  );
  if (!found) throw invalid();
  return { ...found, scope, conversationId: sub, expiresAt: exp };
}

interface Claims {
  sub: string;
  exp: number;
  organizationId: string;
  version: number;
}

/** The claims of a token that any key of `SECRETS_KEY` signed; undefined if it is not valid. */
async function verify(secrets: Secrets, token: string): Promise<Claims | undefined> {
  const options = { audience: AUDIENCE, algorithms: ['HS256'], requiredClaims: ['sub', 'exp'], currentDate: clock.now() };
  for (const key of secrets.tokenKeys(AUDIENCE)) {
    const verified = await jwtVerify<Claims>(token, key, options).catch(() => undefined);
    if (verified) return verified.payload;
  }
  return undefined;
}

const invalid = () => fail('INVALID_KEY', 'The handoff token has expired or was revoked. Request a new one.');

/** Relative without `PUBLIC_URL`: the widget resolves it against the address that it called. */
const socketUrl = (publicUrl: string | undefined): string =>
  publicUrl ? `${publicUrl.replace(/^http/, 'ws')}/graphql` : '/graphql';
