import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { v7 as uuid } from 'uuid';
import { isId, query, sql, withDeadlockRetry } from '../../../platform/database/index.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import type { Agent } from '../agents/entity.ts';
import { holdAgent, isPresent } from '../agents/service.ts';
import { emitStarted } from '../conversations/conversation-events.ts';
import type { LockedConversation } from '../handoff/handoff-state.ts';
import { appendEvent } from '../handoff/handoff-state.ts';
import { addMessage } from '../handoff/messages.ts';
import { tokensOf } from '../retrieval/token-count.ts';
import { budgetOf, countSpent, priceOf, settleDead } from './finish.ts';
import { findQuestion, replaceReplies, type UserMessage } from './regeneration.ts';
import { LEASE, type ReplyRef } from './reply-store.ts';

/** A message to an agent, from an authorized sender. */
export interface NewMessage {
  agent: Agent;
  channel: EnumValue<'ConversationChannel'>;
  /** The visitor, or the user in the channel `admin`. Only this sender can continue the conversation. */
  visitorId: string;
  conversationId: string | null;
  /** The chat id of the client, which also identifies the conversation. */
  chatId: string | null;
  message: UserMessage;
  /** Answer a stored message again instead of adding one. */
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
  /** A person has the conversation, so the agent does not reply. The id is that of the visitor's message. */
  isSilent: boolean;
}

interface ConversationRow extends Pick<LockedConversation, 'id' | 'messageCount' | 'handoffStatus'> {
  isNew: boolean;
}

const IN_PROGRESS = 'The previous message is still being answered. Please wait for the reply.';

/**
 * Store a message and begin its reply at once: conversation, message, charge and lease. Throws `CONFLICT` while another reply of the
 * conversation is running, so two messages never interleave.
 */
export async function beginReply(scope: Scope, input: NewMessage): Promise<BegunReply> {
  const known = input.isResumed ? await findByRequest(scope, input) : undefined;
  if (known) return known;
  try {
    const begun = await beginPlainly(scope, input);
    if (begun) return begun;
    await settleDeadReply(scope, input);
    return await transaction(scope, (inner) => begin(inner, input));
  } catch (error) {
    // An earlier request with the same id began the reply.
    const earlier = (error as { code?: unknown }).code === UNIQUE_VIOLATION ? await findByRequest(scope, input) : undefined;
    if (earlier) return earlier;
    throw error;
  }
}

/** Begin a reply by one statement. Returns nothing, without a change, in the rare cases that need a transaction. */
async function beginPlainly(scope: Scope, input: NewMessage): Promise<BegunReply | undefined> {
  const { agent, visitorId, conversationId, regenerate, isResumed } = input;
  if (regenerate || isResumed || (conversationId !== null && !isId(conversationId))) return undefined;
  const reply = newReply();
  const begun = await beginningsOf(scope.services).add(rowOf(scope, input, { ...reply, questionId: uuid() }));
  if (!begun) return undefined;
  if (begun.paid) countSpent(priceOf(agent.modelType));
  return { ...reply, ...begun, organizationId: scope.organizationId, agentId: agent.id, visitorId, isSilent: false };
}

const newReply = () => ({ id: uuid(), lease: randomUUID() });

/** A value of `agent.new_reply`. Without the id of a question, a stored one is answered again. */
function rowOf(
  scope: Scope,
  { agent, channel, visitorId, conversationId, chatId, message: { text, clientId }, requestId }: NewMessage,
  { id, lease, questionId }: { id: string; lease: string; questionId: string | null },
) {
  return {
    ...{ organization: scope.organizationId, agent: agent.id, visitor: visitorId, channel },
    ...{ conversation: conversationId, chat_id: chatId, new_conversation: randomUUID() },
    ...{ question_id: questionId, question: text, client_id: clientId, tokens: tokensOf(text) },
    ...{ reply_id: id, request_id: requestId, lease, entry: uuid(), price: priceOf(agent.modelType) },
    daily_limit: budgetOf(scope, agent, channel === 'widget'),
    enforce: scope.services.requireCredits,
  };
}

type NewReply = ReturnType<typeof rowOf>;
type Begun = Pick<BegunReply, 'conversationId' | 'isFirst' | 'paid'>;

interface Waiting {
  row: NewReply;
  begun: PromiseWithResolvers<Begun | undefined>;
}

/** Replies that one statement begins at most. */
const MAX_AT_ONCE = 32;
const BEGIN = `
  select id, conversation as "conversationId", is_new as "isFirst", is_paid as paid from agent.begin_replies($1, ${LEASE})`;

/**
 * Begins replies of an agent that come while others begin by one statement. Each charge locks the row of the organization until its commit,
 * so that separate statements would wait for each other.
 */
class Beginnings {
  /** By agent, while a statement of it runs. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(private readonly pool: Pool) {}

  add(row: NewReply): Promise<Begun | undefined> {
    const begun = Promise.withResolvers<Begun | undefined>();
    const waiting = this.#waiting.get(row.agent);
    if (waiting) waiting.push({ row, begun });
    else void this.#run([{ row, begun }]);
    return begun.promise;
  }

  async #run(first: Waiting[]): Promise<void> {
    const { agent } = first[0]!.row;
    const waiting: Waiting[] = [];
    this.#waiting.set(agent, waiting);
    for (let next = first; next.length > 0; next = waiting.splice(0, MAX_AT_ONCE)) await this.#begin(next);
    this.#waiting.delete(agent);
  }

  async #begin(replies: Waiting[]): Promise<void> {
    try {
      const values = [JSON.stringify(replies.map(({ row }) => row))];
      const { rows } = await withDeadlockRetry(() =>
        this.pool.query<Begun & { id: string }>({ name: 'begin replies', text: BEGIN, values }),
      );
      const found = new Map(rows.map(({ id, ...begun }) => [id, begun]));
      for (const { row, begun } of replies) begun.resolve(found.get(row.reply_id));
    } catch (error) {
      // The message that the database refuses must not fail the others.
      if (replies.length > 1 && isOfOneMessage(error)) await Promise.all(replies.map((each) => this.#begin([each])));
      else for (const { begun } of replies) begun.reject(error);
    }
  }
}

/**
 * Whether PostgreSQL has rolled the statement back because of one of its messages. Without its answer, nobody knows whether it has. A lack of
 * resources (53), a shutdown (57) and a time limit (55) concern all of them, and more statements would make it worse.
 */
function isOfOneMessage(error: unknown): boolean {
  const { severity, code } = error as { severity?: string; code?: string };
  return severity !== undefined && !/^(53|55|57)/.test(code ?? '');
}

const beginnings = new WeakMap<Services, Beginnings>();

function beginningsOf(services: Services): Beginnings {
  const known = beginnings.get(services) ?? new Beginnings(services.pool);
  beginnings.set(services, known);
  return known;
}

/** A reply whose process was killed must not block its conversation. */
async function settleDeadReply({ em, services, organizationId }: Scope, input: NewMessage): Promise<void> {
  const { agent, visitorId, channel, conversationId, chatId } = input;
  if (conversationId !== null && !isId(conversationId)) return;
  const named = conversationId === null ? sql`c.client_id = ${chatId}` : sql`c.id = ${conversationId}`;
  const [dead] = await query(
    em,
    sql<{ id: string }>`
      select m.id from agent.conversations c join agent.messages m on m.conversation_id = c.id
       where ${named} and c.agent_id = ${agent.id} and c.visitor_id = ${visitorId} and c.channel = ${channel}
         and m.status = 'running' and m.leased_until < now()`,
  );
  if (dead) await settleDead(services, { id: dead.id, organizationId });
}

const UNIQUE_VIOLATION = '23505';

async function begin(scope: Scope, input: NewMessage): Promise<BegunReply> {
  const conversation = await lockConversation(scope, input);
  if (conversation.isNew && input.channel === 'widget') await emitStarted(scope, { id: conversation.id, agentId: input.agent.id });
  const ids = {
    organizationId: scope.organizationId,
    agentId: input.agent.id,
    visitorId: input.visitorId,
    conversationId: conversation.id,
  };
  if (conversation.handoffStatus === 'active')
    return { ...ids, id: await deliver(scope, conversation, input), lease: null, paid: true, isFirst: false, isSilent: true };
  const { running, repeated, hasFailed } = conversation.isNew
    ? { running: false, repeated: null, hasFailed: false }
    : await readLatest(scope, conversation.id, input);
  if (repeated && !hasFailed) return { ...ids, id: repeated, lease: null, paid: true, isFirst: false, isSilent: false };
  if (input.isResumed) throw cannotResume();
  if (running) {
    // The gateway subscribes again when it loses a subgraph before the first event.
    const begun = await findByRequest(scope, input);
    if (begun) return begun;
    throw fail('CONFLICT', IN_PROGRESS);
  }

  const isRetried = (input.regenerate || hasFailed) && !conversation.isNew;
  const isRegenerated = isRetried && (await replaceReplies(scope, conversation.id, input.message));
  const reply = { ...ids, ...newReply(), isFirst: conversation.isNew, isSilent: false };
  return { ...reply, paid: await addReply(scope, conversation, reply, input, isRegenerated) };
}

const cannotResume = () => fail('CONFLICT', 'The reply cannot be resumed. Read the conversation instead.');

/** Store a message for the person who has the conversation. Returns its id, or that of the last message when that one was sent again. */
async function deliver(scope: Scope, conversation: ConversationRow, input: NewMessage): Promise<string> {
  const { message, requestId, regenerate, isResumed } = input;
  if (isResumed) throw cannotResume();
  const last = regenerate ? await findQuestion(scope, conversation.id, message) : undefined;
  if (last) return last.id;
  const { id } = await addMessage(scope, conversation, { party: 'visitor' }, { ...message, requestId });
  return id;
}

/**
 * Whether a reply is running, and the reply to the last user message if this is the same message: a request that was sent again. A reply
 * that failed is written again.
 */
async function readLatest({ em }: Scope, conversationId: string, { message, regenerate }: NewMessage) {
  const clientId = regenerate ? null : message.clientId;
  const [latest] = await query(
    em,
    sql<{ running: boolean; repeated: string | null; hasFailed: boolean }>`
      select exists (select 1 from agent.messages where conversation_id = ${conversationId} and status = 'running') as running,
             l.id as repeated, l.status is not distinct from 'failed' as "hasFailed"
        from (select 1) one left join lateral (
             select r.id, r.status from (select * from agent.messages where conversation_id = ${conversationId} and role = 'user'
                                          and not replaced order by position desc limit 1) u
                join agent.messages r on r.conversation_id = u.conversation_id and r.position > u.position and r.role = 'assistant'
                 and not r.replaced
               where u.client_id = ${clientId}::text and u.text = ${message.text} order by r.position desc limit 1) l on true`,
  );
  return latest!;
}

/** Add the message and its reply to a locked conversation, and charge the reply. Returns whether it was paid. */
async function addReply(
  scope: Scope,
  { id, messageCount, handoffStatus }: ConversationRow,
  reply: { id: string; lease: string },
  input: NewMessage,
  isRegenerated: boolean,
): Promise<boolean> {
  const questionId = isRegenerated ? null : uuid();
  // Operators can read along while the visitor waits.
  if (handoffStatus === 'waiting' && questionId !== null)
    await appendEvent(scope, id, { type: 'message', party: 'visitor', messageId: questionId });
  const row = sql`json_populate_record(null::agent.new_reply, ${JSON.stringify(rowOf(scope, input, { ...reply, questionId }))})`;
  await query(scope.em, sql`select agent.add_reply(${id}, ${messageCount}, ${row}, ${sql.raw(LEASE)})`);
  const [charged] = await query(scope.em, sql<{ paid: boolean }>`select agent.charge_reply(${row}) as paid`);
  if (charged!.paid) countSpent(priceOf(input.agent.modelType));
  return charged!.paid;
}

/** The reply, or the message to a person, that this request began before. */
export async function findByRequest(
  { em }: Pick<Scope, 'em'>,
  { requestId, agent }: Pick<NewMessage, 'requestId' | 'agent'>,
): Promise<BegunReply | undefined> {
  if (requestId === null) return undefined;
  const [known] = await query(
    em,
    sql<BegunReply>`select m.id, m.organization_id as "organizationId", c.agent_id as "agentId", m.conversation_id as "conversationId",
                           c.visitor_id as "visitorId", null as lease, true as paid, false as "isFirst",
                           m.role = 'user' as "isSilent"
                      from agent.messages m join agent.conversations c on c.id = m.conversation_id
                     where m.request_id = ${requestId} and c.agent_id = ${agent.id}`,
  );
  return known;
}

const COLUMNS = sql`id, message_count as "messageCount", handoff_status as "handoffStatus"`;

/** Find the conversation of the sender, or create one, and lock it. Throws `NOT_FOUND` for conversations of others. */
async function lockConversation(scope: Scope, input: NewMessage): Promise<ConversationRow> {
  const { em, organizationId } = scope;
  const { agent, visitorId, channel, conversationId, chatId } = input;
  const own = sql`agent_id = ${agent.id} and visitor_id = ${visitorId} and channel = ${channel}`;
  if (conversationId !== null) {
    const [found] = isId(conversationId)
      ? await query(
          em,
          sql<ConversationRow>`select ${COLUMNS}, false as "isNew" from agent.conversations where id = ${conversationId} and ${own} for update`,
        )
      : [];
    return found ?? notFound();
  }
  const [created] = await query(
    em,
    sql<ConversationRow>`insert into agent.conversations (id, organization_id, agent_id, visitor_id, client_id, channel, status)
        select ${randomUUID()}::uuid, a.organization_id, a.id, ${visitorId}, ${chatId}, ${channel}, 'open'
          from agent.agents a where ${isPresent(agent.id, organizationId)} for key share
        on conflict (agent_id, visitor_id, client_id) do nothing returning ${COLUMNS}, true as "isNew"`,
  );
  if (created) return created;
  const [found] = await query(
    em,
    sql<ConversationRow>`select ${COLUMNS}, false as "isNew" from agent.conversations where client_id = ${chatId} and ${own} for update`,
  );
  if (found) return found;
  await holdAgent(scope, agent.id);
  return notFound();
}

function notFound(): never {
  throw fail('NOT_FOUND', 'Conversation not found');
}
