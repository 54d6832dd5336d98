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
}

interface ConversationRow {
  id: string;
  count: number;
}

const IN_PROGRESS = 'The previous message is still being answered. Please wait for the reply.';

/**
 * Store a message and begin its reply in one transaction: conversation, message, charge and lease. Throws `CONFLICT` while another reply
 * of the conversation is running, so two messages never interleave.
 */
export function beginReply(scope: Scope, input: NewMessage): Promise<BegunReply> {
  return transaction(scope, async (inner) => {
    const { em } = inner;
    const known = await findByRequest(inner, input);
    if (known) return known;
    const conversation = await lockConversation(inner, input);
    const ids = { organizationId: scope.organizationId, agentId: input.agent.id, visitorId: input.visitorId };
    const repeated = await findRepeated(inner, conversation.id, input);
    if (repeated) return { ...ids, id: repeated, conversationId: conversation.id, lease: null, paid: true };
    if (input.isResumed) throw fail('CONFLICT', 'The reply cannot be resumed. Read the conversation instead.');
    const [running] = await query(
      em,
      sql`select 1 from agent.messages where conversation_id = ${conversation.id} and status = 'running'`,
    );
    if (running) throw fail('CONFLICT', IN_PROGRESS);

    const added = await addUserMessage(inner, conversation, input);
    const reply = { ...ids, id: uuid(), lease: randomUUID() };
    const price = priceOf(input.agent.modelType);
    const paid = await charge(inner, reply.id, price, input);
    await query(
      em,
      sql`insert into agent.messages (id, organization_id, conversation_id, position, role, status, request_id, credits, lease, leased_until)
          values (${reply.id}, ${scope.organizationId}, ${conversation.id}, ${conversation.count + added + 1}, 'assistant', 'running',
                  ${input.requestId}, ${paid ? price : 0}, ${reply.lease}, ${sql.raw(LEASE)})`,
    );
    await query(
      em,
      sql`update agent.conversations set message_count = message_count + ${added + 1}, last_message_at = now(), status = 'open'
           where id = ${conversation.id}`,
    );
    return { ...reply, conversationId: conversation.id, paid };
  });
}

/** The reply to the last user message, if this is the same message with the same id: a request that was sent again. */
async function findRepeated(
  { em }: Scope,
  conversationId: string,
  { message, regenerate }: NewMessage,
): Promise<string | undefined> {
  if (message.clientId === null || regenerate) return undefined;
  const [reply] = await query(
    em,
    sql<{ id: string }>`
      select r.id from (select * from agent.messages where conversation_id = ${conversationId} and role = 'user'
                         order by position desc limit 1) u
        join agent.messages r on r.conversation_id = u.conversation_id and r.position > u.position and not r.replaced
       where u.client_id = ${message.clientId} and u.text = ${message.text} order by r.position desc limit 1`,
  );
  return reply?.id;
}

async function findByRequest({ em }: Scope, { requestId, agent }: NewMessage): Promise<BegunReply | undefined> {
  if (requestId === null) return undefined;
  const [known] = await query(
    em,
    sql<BegunReply>`select m.id, m.organization_id as "organizationId", c.agent_id as "agentId", m.conversation_id as "conversationId",
                           c.visitor_id as "visitorId", null as lease, true as paid
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
          sql<ConversationRow>`select id, message_count as count from agent.conversations where id = ${conversationId} and ${own} for update`,
        )
      : [];
    return found ?? notFound();
  }
  const [created] = await query(
    em,
    sql<ConversationRow>`insert into agent.conversations (id, organization_id, agent_id, visitor_id, client_id, channel, status)
        values (${randomUUID()}, ${organizationId}, ${agent.id}, ${visitorId}, ${chatId}, ${channel}, 'open')
        on conflict (agent_id, visitor_id, client_id) do nothing returning id, 0 as count`,
  );
  if (created) return created;
  const [found] = await query(
    em,
    sql<ConversationRow>`select id, message_count as count from agent.conversations where client_id = ${chatId} and ${own} for update`,
  );
  return found ?? notFound();
}

function notFound(): never {
  throw fail('NOT_FOUND', 'Conversation not found');
}

/** Returns the number of added messages. A regenerated reply replaces the earlier replies to the last user message. */
async function addUserMessage({ em, organizationId }: Scope, { id, count }: ConversationRow, input: NewMessage): Promise<number> {
  const { text, clientId } = input.message;
  if (input.regenerate) {
    const [last] = await query(
      em,
      sql<{ position: number }>`select position from agent.messages where conversation_id = ${id} and role = 'user'
                                 order by position desc limit 1`,
    );
    if (last) {
      await query(
        em,
        sql`update agent.messages set replaced = true where conversation_id = ${id} and position > ${last.position} and role = 'assistant'`,
      );
      return 0;
    }
  }
  const parts = JSON.stringify([{ type: 'text', text }]);
  await query(
    em,
    sql`insert into agent.messages (id, organization_id, conversation_id, position, role, status, text, parts, client_id, finished_at)
        values (${uuid()}, ${organizationId}, ${id}, ${count + 1}, 'user', 'complete', ${text}, ${parts}::jsonb, ${clientId}, now())`,
  );
  return 1;
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
