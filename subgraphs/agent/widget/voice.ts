import { SignJWT } from 'jose';
import { fail } from '../../../schema/errors.ts';
import { balanceOf } from '../../common/credits.ts';
import { query, sql } from '../../common/database.ts';
import { Organization } from '../../common/identity/entity.ts';
import { isId } from '../../common/ids.ts';
import { detached, type RequestScope } from '../../common/scope.ts';
import { countMessage, embeddedAgent, visitorOf } from '../chat/access.ts';
import { UNAVAILABLE_TEXT } from '../chat/write.ts';
import type { HandoffToken, VoiceToken } from './types.ts';

/** Seconds that a handoff token is valid. A widget renews it with the same request. */
const HANDOFF_LIFETIME = 3_600;
/** Separates handoff tokens from other tokens that the same secret may sign. */
const HANDOFF_AUDIENCE = 'handoff';

/**
 * Mint a token for a voice session that the browser opens at the model provider. Throws `FORBIDDEN` if voice is off, and
 * `OUT_OF_CREDITS` without credits.
 */
export async function mintVoiceToken(scope: RequestScope, publicSlug: string, visitorId?: string | null): Promise<VoiceToken> {
  const agent = await embeddedAgent(scope, publicSlug);
  if (!agent.voiceEnabled) throw fail('FORBIDDEN', 'Voice is not enabled for this agent.');
  const { services, signal } = scope;
  if (!services.model) throw fail('UNAVAILABLE', 'No model provider is configured.');
  await countMessage(scope, agent, visitorOf(visitorId));
  if (services.requireCredits && (await balanceOf(detached({ services, organizationId: agent.organizationId }))) <= 0)
    throw fail('OUT_OF_CREDITS', UNAVAILABLE_TEXT);
  try {
    // The provider shows the instructions of a session to its browser, so they contain only public fields.
    const instructions = `You are ${agent.name}, a voice assistant on a website. Begin with: ${agent.welcomeMessage || 'Hello!'}`;
    return await services.model.openVoiceSession(instructions, signal);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw fail('UNAVAILABLE', 'Voice is not available at the moment. Please try again later.');
  }
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
  const { em } = detached({ services, organizationId: agent.organizationId });
  const { modules } = await em.findOneOrFail(Organization, agent.organizationId);
  if (!modules.includes('helpdesk')) throw fail('FORBIDDEN', 'The handoff to people is not enabled for this agent.');
  const visitor = visitorOf(visitorId);
  const named = conversationId && isId(conversationId) ? sql`id = ${conversationId}` : conversationId ? sql`false` : sql`true`;
  const [conversation] = await query(
    em,
    sql<{ id: string }>`select id from agent.conversations
                         where agent_id = ${agent.id} and visitor_id = ${visitor} and channel = 'widget' and ${named}
                         order by coalesce(last_message_at, created_at) desc limit 1`,
  );
  if (!conversation) throw fail('NOT_FOUND', 'Conversation not found');
  const expiresAt = new Date((Math.floor(Date.now() / 1_000) + HANDOFF_LIFETIME) * 1_000);
  const token = await new SignJWT({ visitorId: visitor, agentId: agent.id, organizationId: agent.organizationId })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(conversation.id)
    .setAudience(HANDOFF_AUDIENCE)
    .setIssuedAt()
    .setExpirationTime(expiresAt)
    .sign(services.secrets.tokenKey(HANDOFF_AUDIENCE));
  return { token, expiresAt, url: socketUrl(services.publicUrl) };
}

/** Relative without `PUBLIC_URL`: the widget resolves it against the address that it called. */
const socketUrl = (publicUrl: string | undefined): string =>
  publicUrl ? `${publicUrl.replace(/^http/, 'ws')}/graphql` : '/graphql';
