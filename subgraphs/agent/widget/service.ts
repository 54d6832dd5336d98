import { randomUUID } from 'node:crypto';
import { isId, query, sql } from '../../../platform/database/index.ts';
import { Organization } from '../../../platform/identity/index.ts';
import { detached, type RequestScope, type Scope, transaction, visiting } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Agent } from '../agents/entity.ts';
import { holdAgent } from '../agents/service.ts';
import { canCharge, charge, VOICE_PRICE } from '../chat/finish.ts';
import { UNAVAILABLE_TEXT } from '../chat/reply-writing.ts';
import { countMessage, embeddedAgent, findConversationId, isAllowedOrigin, signedInVisitor, visitorIdOf } from '../chat/sender.ts';
import { emitRatedDown } from '../conversations/conversation-events.ts';
import { Conversation } from '../conversations/entity.ts';
import type { CustomForm } from '../forms/entity.ts';
import { insertSubmission, listEnabledForms } from '../forms/service.ts';
import { insertLead } from '../leads/service.ts';
import { textOrNull } from '../visitor-text.ts';
import type {
  NewestConversation,
  NewRating,
  RatedMessage,
  VisitorConversation,
  VisitorMessage,
  VoiceToken,
  WidgetConfig,
  WidgetContact,
  WidgetReceipt,
  WidgetSubmission,
} from './types.ts';

const PUBLIC_FIELDS = ['name', 'welcomeMessage', 'placeholder', 'suggestedMessages', 'theme', 'branding'] as const;
const INTERNAL_FIELDS = ['organizationId', 'allowedOrigins', 'voiceEnabled'] as const;

/** Needs no authentication. Throws `NOT_FOUND` if the agent is unknown or not public. */
export async function readConfig(scope: RequestScope, publicSlug: string): Promise<WidgetConfig> {
  // Visitors have no organization, so the public slug alone identifies the agent.
  const unbound = { filters: { organization: false }, fields: [...PUBLIC_FIELDS, ...INTERNAL_FIELDS] } as const;
  const agent = await scope.em.fork().findOne(Agent, { publicSlug, publicAccess: true, draftOf: null }, unbound);
  if (!agent) throw fail('NOT_FOUND', 'Agent not found');
  const { name, welcomeMessage, placeholder, suggestedMessages, theme, branding, organizationId, allowedOrigins } = agent;
  const { modules } = await scope.em.findOneOrFail(Organization, organizationId);
  const origin = scope.request.headers.origin ?? null;
  return {
    name,
    welcomeMessage,
    placeholder,
    suggestedMessages,
    theme,
    branding,
    features: { voice: agent.voiceEnabled, handoff: modules.includes('helpdesk') },
    originAllowed: isAllowedOrigin(origin, allowedOrigins, scope.services.dashboardOrigins),
    origin,
  };
}

const MAX_MESSAGES = 100;
/** Bytes of the messages that are read after the newest one: a message may contain megabytes of tool results. */
const MAX_BYTES = 4 * 1024 * 1024;

const SIZED = 'select id, position, octet_length(parts::text) + octet_length(text) as bytes from agent.messages';
/** Reads one message after the other, so that it measures no message behind the limits. */
const READ = `
  with recursive newest as (
    (select id, position, bytes, 1 as place from (${SIZED} where conversation_id = $1 and not replaced order by position desc limit 1) m)
    union all
    select m.id, m.position, n.bytes + m.bytes, n.place + 1
      from newest n cross join lateral (
        ${SIZED} where conversation_id = $1 and not replaced and position < n.position order by position desc limit 1) m
     where n.place < ${MAX_MESSAGES} and n.bytes + m.bytes <= ${MAX_BYTES})
  select id, m.client_id as "clientId", m.position, m.role, m.status, m.text, m.parts, m.author_name as "authorName", m.rating,
         m.created_at as "createdAt"
    from newest join agent.messages m using (id) order by m.position`;

/** A conversation of a visitor with its newest messages, oldest first. Throws `NOT_FOUND` for a conversation of somebody else. */
export async function readConversation(
  scope: RequestScope,
  publicSlug: string,
  visitorId: string | null | undefined,
  conversationId: string,
): Promise<VisitorConversation> {
  const agent = await embeddedAgent(scope, publicSlug);
  const within = visiting(scope, agent.organizationId);
  const { em } = within;
  const id = await findConversationId(
    { scope: within, agent, channel: 'widget', visitorId: await visitorIdOf(scope, agent, visitorId) },
    conversationId,
  );
  // Read the number of the last event first: an event that arrives meanwhile is then delivered again, not lost.
  const [conversation] = id
    ? await query(
        em,
        sql<Omit<VisitorConversation, 'messages'>>`
          select c.id, c.handoff_status as "handoffStatus", c.event_sequence as "eventSequence",
                 (select h.operator_name from agent.handoffs h where h.id = c.handoff_id) as "operatorName"
            from agent.conversations c where c.id = ${id}`,
      )
    : [];
  if (!conversation) throw fail('NOT_FOUND', 'Conversation not found');
  const statement = { name: 'visitor messages', text: READ, values: [conversation.id] };
  const { rows } = await within.services.statements.run<VisitorMessage>(statement, within.signal, within.budget);
  // The pool returns timestamps as text.
  return { ...conversation, messages: rows.map((message) => ({ ...message, createdAt: new Date(message.createdAt) })) };
}

/** Days for which a signed-in visitor goes on with a conversation. */
const CONTINUED_DAYS = 30;

/** The conversation with which a signed-in visitor goes on. Other visitors are known only by the tab that has their ids. */
export async function newestConversation(
  scope: RequestScope,
  publicSlug: string,
  visitorId: string | null | undefined,
): Promise<NewestConversation> {
  const agent = await embeddedAgent(scope, publicSlug);
  const { visitorId: visitor, identity } = await signedInVisitor(scope, agent, visitorId);
  if (!identity) return { conversationId: null };
  const [newest] = await query(
    visiting(scope, agent.organizationId).em,
    sql<{ id: string }>`
      select id from agent.conversations
       where agent_id = ${agent.id} and visitor_id = ${visitor} and channel = 'widget' and status = 'open'
         and last_message_at > now() - make_interval(days => ${CONTINUED_DAYS})
       order by last_message_at desc, id desc limit 1`,
  );
  return { conversationId: newest?.id ?? null };
}

/**
 * Rate a reply to a visitor, or change the rating; null removes it. Counts against the limits of chat messages. Throws `NOT_FOUND` unless
 * the message is a finished reply in a conversation of the visitor, and `INVALID_INPUT` without a rating.
 */
export async function rateMessage(
  scope: RequestScope,
  publicSlug: string,
  { messageId, visitorId, rating, comment }: NewRating,
): Promise<RatedMessage> {
  // Null removes the rating, so an absent one must not.
  if (rating === undefined) throw fail('INVALID_INPUT', 'rating is required');
  const agent = await embeddedAgent(scope, publicSlug);
  const visitor = await visitorIdOf(scope, agent, visitorId);
  await countMessage(scope, agent, visitor);
  if (!isId(messageId)) throw fail('NOT_FOUND', 'Message not found');
  return transaction(detached({ services: scope.services, organizationId: agent.organizationId }), async (inner) => {
    const [rated] = await query(
      inner.em,
      sql<RatedMessage & { conversationId: string; version: number | null; ratedAt: string }>`
        update agent.messages m set rating = ${rating}, rating_comment = ${rating && textOrNull(comment)},
               rated_at = ${rating ? sql`now()` : sql`null`}
          from agent.conversations c
         where m.id = ${messageId} and m.role = 'assistant' and m.status in ('complete', 'stopped') and c.id = m.conversation_id
           and c.agent_id = ${agent.id} and c.visitor_id = ${visitor} and c.channel = 'widget'
        returning m.id, m.rating, m.rating_comment as comment, m.conversation_id as "conversationId", m.version, m.rated_at as "ratedAt"`,
    );
    if (!rated) throw fail('NOT_FOUND', 'Message not found');
    if (rating === 'down') await emitRatedDown(inner, { ...rated, agentId: agent.id });
    return rated;
  });
}

/** The enabled forms of an agent, for a page that may embed it. */
export async function listWidgetForms(scope: RequestScope, publicSlug: string): Promise<CustomForm[]> {
  const agent = await embeddedAgent(scope, publicSlug);
  return listEnabledForms(detached({ services: scope.services, organizationId: agent.organizationId }), agent.id);
}

/** Create a lead from the contact form of a visitor. Counts against the limits of chat messages. */
export function submitContact(scope: RequestScope, publicSlug: string, input: WidgetContact): Promise<WidgetReceipt> {
  return write(scope, publicSlug, input, (inner, agent, conversationId) =>
    insertLead(inner, { agentId: agent.id, name: input.name, email: input.email, phone: input.phone, conversationId }),
  );
}

/** Store a custom form that a visitor filled in. Counts against the limits of chat messages. */
export function submitForm(scope: RequestScope, publicSlug: string, input: WidgetSubmission): Promise<WidgetReceipt> {
  const { formName, values } = input;
  return write(scope, publicSlug, input, (inner, agent, conversationId) =>
    insertSubmission(inner, { agentId: agent.id, formName, values, conversationId }),
  );
}

interface FromVisitor {
  visitorId?: string | null;
  conversationId?: string | null;
}

async function write(
  scope: RequestScope,
  publicSlug: string,
  { visitorId, conversationId }: FromVisitor,
  work: (inner: Scope, agent: Agent, conversationId: string | null) => Promise<WidgetReceipt>,
): Promise<WidgetReceipt> {
  const agent = await embeddedAgent(scope, publicSlug);
  const visitor = await visitorIdOf(scope, agent, visitorId);
  await countMessage(scope, agent, visitor);
  const within = detached({ services: scope.services, organizationId: agent.organizationId });
  return scope.writeWithin(within, visitorId ? [agent.id, visitor] : null, async (inner) => {
    if (conversationId) await requireConversation(inner, { id: conversationId, agentId: agent.id, visitorId: visitor });
    const { id, createdAt } = await work(inner, agent, conversationId?.toLowerCase() ?? null);
    return { id, createdAt };
  });
}

/** Throws `NOT_FOUND` for a conversation of another visitor or agent. */
async function requireConversation({ em }: Scope, where: { id: string; agentId: string; visitorId: string }): Promise<void> {
  const found = isId(where.id) ? await em.count(Conversation, { ...where, channel: 'widget' }) : 0;
  if (found === 0) throw fail('NOT_FOUND', 'Conversation not found');
}

/**
 * Mint a token for a voice session that the browser opens at the model provider, and charge it. Throws `FORBIDDEN` if voice is off, and
 * `OUT_OF_CREDITS` without credits or beyond the daily budget of the agent.
 */
export async function mintVoiceToken(scope: RequestScope, publicSlug: string, visitorId?: string | null): Promise<VoiceToken> {
  const agent = await embeddedAgent(scope, publicSlug);
  if (!agent.voiceEnabled) throw fail('FORBIDDEN', 'Voice is not enabled for this agent.');
  const { services, signal } = scope;
  if (!services.model) throw fail('UNAVAILABLE', 'No model provider is configured.');
  await countMessage(scope, agent, await visitorIdOf(scope, agent, visitorId));
  const within = detached({ services, organizationId: agent.organizationId });
  // Spare the provider requests that cannot be charged.
  if (!(await canCharge(within, agent, VOICE_PRICE))) throw unavailable();
  let token: VoiceToken;
  try {
    // The provider shows the instructions of a session to its browser, so they contain only public fields.
    const instructions = `You are ${agent.name}, a voice assistant on a website. Begin with: ${agent.welcomeMessage || 'Hello!'}`;
    token = await services.model.openVoiceSession(instructions, signal);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw fail('UNAVAILABLE', 'Voice is not available at the moment. Please try again later.');
  }
  // Last, so that a failed or interrupted request costs nothing.
  const reference = `voice:${randomUUID()}`;
  const charges = { agent, price: VOICE_PRICE, reason: 'voice session', reference, byVisitor: true };
  const isPaid = await transaction(within, async (inner) => {
    await holdAgent(inner, agent.id);
    return charge(inner, charges);
  });
  if (!isPaid) throw unavailable();
  return token;
}

const unavailable = () => fail('OUT_OF_CREDITS', UNAVAILABLE_TEXT);
