import { jwtVerify, SignJWT } from 'jose';
import { clock, isId, query, sql } from '../../../platform/database/index.ts';
import { detached, type RequestScope, type Scope } from '../../../platform/scope/index.ts';
import type { Secrets } from '../../../platform/secrets/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { Agent } from '../agents/entity.ts';
import { embeddedAgent, visitorIdOf } from '../chat/sender.ts';
import { modulesOf } from '../organizations/resolver.ts';
import type { HandoffToken } from '../widget/types.ts';

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
