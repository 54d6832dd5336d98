import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import { moveCredits } from '../../common/credits.ts';
import { query, sql } from '../../common/database.ts';
import { isId } from '../../common/ids.ts';
import { type Scope, transaction } from '../../common/scope.ts';
import type { Agent } from '../agents/entity.ts';
import type { UserMessage } from './message.ts';
import { priceOf } from './prices.ts';
import { LEASE, type ReplyRef } from './store.ts';

/** A message to an agent, from an authorized sender. */
export interface NewMessage {
  agent: Agent;
  channel: Word<'ConversationChannel'>;
  /** The visitor, or the user in the channel `admin`. Only this sender can continue the conversation. */
  visitorId: string;
  conversationId: string | null;
  /** The chat id of the client, which also identifies the conversation. */
  chatId: string | null;
  message: UserMessage;
  /** Answer the last user message again instead of adding one. */
  regenerate: boolean;
  /** Identifies the request, when it may be sent again. */
  requestId: string | null;
  /** Follow the reply to a message that was sent before; never send another one. */
  isResumed: boolean;
}

/** A reply that is to be written, or the one that an earlier request with the same id began. */
export interface BegunReply extends ReplyRef {
  visitorId: string;
  /** Null when another request began it. */
  lease: string | null;
  /** Whether credits were charged for it; otherwise the agent is unavailable. */
  paid: boolean;
  /** Whether it answers the first message of the conversation. */
  isFirst: boolean;
}

interface ConversationRow {
  id: string;
  count: number;
  isNew: boolean;
}

const IN_PROGRESS = 'The previous message is still being answered. Please wait for the reply.';

/**
 * Store a message and begin its reply in one transaction: conversation, message, charge and lease. Throws `CONFLICT` while another reply
 * of the conversation is running, so two messages never interleave.
 */
export async function beginReply(scope: Scope, input: NewMessage): Promise<BegunReply> {
  const begun = input.isResumed ? await findByRequest(scope, input) : undefined;
  if (begun) return begun;
  try {
    return await transaction(scope, (inner) => begin(inner, input));
  } catch (error) {
    // An earlier request with the same id began the reply.
    const known = (error as { code?: unknown }).code === UNIQUE_VIOLATION ? await findByRequest(scope, input) : undefined;
    if (known) return known;
    throw error;
  }
}

const UNIQUE_VIOLATION = '23505';

async function begin(scope: Scope, input: NewMessage): Promise<BegunReply> {
  const conversation = await lockConversation(scope, input);
  const ids = {
    organizationId: scope.organizationId,
    agentId: input.agent.id,
    visitorId: input.visitorId,
    conversationId: conversation.id,
  };
  const { running, repeated } = conversation.isNew
    ? { running: false, repeated: null }
    : await readLatest(scope, conversation.id, input);
  if (repeated) return { ...ids, id: repeated, lease: null, paid: true, isFirst: false };
  if (input.isResumed) throw fail('CONFLICT', 'The reply cannot be resumed. Read the conversation instead.');
  if (running) throw fail('CONFLICT', IN_PROGRESS);

  const isRegenerated = input.regenerate && !conversation.isNew && (await replaceReplies(scope, conversation.id));
  const reply = { ...ids, id: uuid(), lease: randomUUID(), isFirst: conversation.isNew };
  await insertMessages(scope, conversation, reply, input, isRegenerated);
  const paid = await charge(scope, reply.id, priceOf(input.agent.modelType), input);
  if (!paid) await query(scope.em, sql`update agent.messages set credits = 0 where id = ${reply.id}`);
  return { ...reply, paid };
}

/** Whether a reply is running, and the reply to the last user message if this is the same message: a request that was sent again. */
async function readLatest({ em }: Scope, conversationId: string, { message, regenerate }: NewMessage) {
  const clientId = regenerate ? null : message.clientId;
  const [latest] = await query(
    em,
    sql<{ running: boolean; repeated: string | null }>`
      select exists (select 1 from agent.messages where conversation_id = ${conversationId} and status = 'running') as running,
             (select r.id from (select * from agent.messages where conversation_id = ${conversationId} and role = 'user'
                                 order by position desc limit 1) u
                join agent.messages r on r.conversation_id = u.conversation_id and r.position > u.position and not r.replaced
               where u.client_id = ${clientId}::text and u.text = ${message.text} order by r.position desc limit 1) as repeated`,
  );
  return latest!;
}

/** One statement, because the time to the first token includes it. */
async function insertMessages(
  { em, organizationId }: Scope,
  { id, count }: ConversationRow,
  reply: { id: string; lease: string },
  { message: { text, clientId }, requestId, agent }: NewMessage,
  isRegenerated: boolean,
): Promise<void> {
  const added = isRegenerated ? 1 : 2;
  const parts = JSON.stringify([{ type: 'text', text }]);
  await query(
    em,
    sql`with asked as (
          insert into agent.messages (id, organization_id, conversation_id, position, role, status, text, parts, client_id, finished_at)
          select ${uuid()}::uuid, ${organizationId}, ${id}, ${count + 1}::int, 'user', 'complete', ${text}, ${parts}::jsonb, ${clientId}, now()
           where ${!isRegenerated}::boolean),
        counted as (
          update agent.conversations set message_count = message_count + ${added}, last_message_at = now(), status = 'open' where id = ${id})
        insert into agent.messages (id, organization_id, conversation_id, position, role, status, request_id, credits, lease, leased_until)
        values (${reply.id}, ${organizationId}, ${id}, ${count + added}, 'assistant', 'running', ${requestId}, ${priceOf(agent.modelType)},
                ${reply.lease}, ${sql.raw(LEASE)})`,
  );
}

async function findByRequest({ em }: Scope, { requestId, agent }: NewMessage): Promise<BegunReply | undefined> {
  if (requestId === null) return undefined;
  const [known] = await query(
    em,
    sql<BegunReply>`select m.id, m.organization_id as "organizationId", c.agent_id as "agentId", m.conversation_id as "conversationId",
                           c.visitor_id as "visitorId", null as lease, true as paid, false as "isFirst"
                      from agent.messages m join agent.conversations c on c.id = m.conversation_id
                     where m.request_id = ${requestId} and c.agent_id = ${agent.id}`,
  );
  return known;
}

/** Find the conversation of the sender, or create one, and lock it. Throws `NOT_FOUND` for conversations of others. */
async function lockConversation({ em, organizationId }: Scope, input: NewMessage): Promise<ConversationRow> {
  const { agent, visitorId, channel, conversationId, chatId } = input;
  const own = sql`agent_id = ${agent.id} and visitor_id = ${visitorId} and channel = ${channel}`;
  if (conversationId !== null) {
    const [found] = isId(conversationId)
      ? await query(
          em,
          sql<ConversationRow>`select id, message_count as count, false as "isNew" from agent.conversations where id = ${conversationId} and ${own} for update`,
        )
      : [];
    return found ?? notFound();
  }
  const [created] = await query(
    em,
    sql<ConversationRow>`insert into agent.conversations (id, organization_id, agent_id, visitor_id, client_id, channel, status)
        values (${randomUUID()}, ${organizationId}, ${agent.id}, ${visitorId}, ${chatId}, ${channel}, 'open')
        on conflict (agent_id, visitor_id, client_id) do nothing returning id, 0 as count, true as "isNew"`,
  );
  if (created) return created;
  const [found] = await query(
    em,
    sql<ConversationRow>`select id, message_count as count, false as "isNew" from agent.conversations where client_id = ${chatId} and ${own} for update`,
  );
  return found ?? notFound();
}

function notFound(): never {
  throw fail('NOT_FOUND', 'Conversation not found');
}

/** Mark the replies to the last user message as replaced. Returns false when there is no such message. */
async function replaceReplies({ em }: Scope, conversationId: string): Promise<boolean> {
  const [last] = await query(
    em,
    sql<{ position: number }>`select position from agent.messages where conversation_id = ${conversationId} and role = 'user'
                               order by position desc limit 1`,
  );
  if (!last) return false;
  await query(
    em,
    sql`update agent.messages set replaced = true
         where conversation_id = ${conversationId} and position > ${last.position} and role = 'assistant'`,
  );
  return true;
}

/** Charge the reply to the organization and, for visitors, to the daily budget of the agent. Returns false when either is used up. */
async function charge(scope: Scope, replyId: string, price: number, { agent, channel }: NewMessage): Promise<boolean> {
  const { em, services } = scope;
  if (channel === 'widget' && services.requireCredits && !(await chargeBudget(scope, agent, price))) return false;
  // Last, because it locks the row of the organization.
  const paid = await moveCredits(scope, { amount: -price, reason: 'chat reply', reference: `reply:${replyId}` });
  if (!paid && channel === 'widget')
    await query(
      em,
      sql`update agent.daily_credits set credits = credits - ${price} where agent_id = ${agent.id} and day = (now() at time zone 'utc')::date`,
    );
  return paid;
}

async function chargeBudget({ em }: Scope, { id, dailyCreditLimit }: Agent, price: number): Promise<boolean> {
  if (price > dailyCreditLimit) return false;
  const charged = await query(
    em,
    sql`insert into agent.daily_credits (agent_id, day, credits) values (${id}, (now() at time zone 'utc')::date, ${price})
        on conflict (agent_id, day) do update set credits = agent.daily_credits.credits + ${price}
        where agent.daily_credits.credits + ${price} <= ${dailyCreditLimit} returning 1`,
  );
  return charged.length > 0;
}
