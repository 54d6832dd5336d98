import { v7 as uuid } from 'uuid';
import {
  type Bind,
  canonicalId,
  isId,
  query,
  readById,
  requireAll,
  sql,
  withDeadlockRetry,
} from '../../../platform/database/index.ts';
import { childPage, containing, listPage, sizeOf } from '../../../platform/lists/index.ts';
import { dropMailsOf, enqueueMail, mailsOf } from '../../../platform/mail/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { lockConversations, refundRunning } from '../chat/finish.ts';
import { daysOf } from '../figures/entity.ts';
import { Handoff } from '../handoff/entity.ts';
import { end, isOpen, lockConversation } from '../handoff/handoff-state.ts';
import { type OutgoingMail, wordsFor } from '../mails/entity.ts';
import { hasTag } from '../teamwork/tags.ts';
import { teamName } from '../visitor-text.ts';
import { emitClosed } from './conversation-events.ts';
import {
  Conversation,
  type ConversationsArguments,
  Message,
  type MessagesArguments,
  type RepliesFilter,
  type UnansweredQuestionsArguments,
} from './entity.ts';

/** Conversations of the organization, those with the newest messages first. */
export function listConversations(
  scope: Scope,
  { agentId, status, channel, handoffStatus, rating, search, replies, assignedToUserId, tag, ...page }: ConversationsArguments,
) {
  const isMalformed = typeof agentId === 'string' && !isId(agentId);
  const where = {
    ...(agentId && { agentId: isMalformed ? [] : agentId }),
    ...(status && { status }),
    ...(channel && { channel }),
    ...(handoffStatus && { handoffStatus }),
    ...(assignedToUserId && { assignedToUserId: isId(assignedToUserId) ? assignedToUserId : [] }),
  };
  const words = search?.trim();
  const conditions = [
    ...(words ? [saying(words, scope.organizationId)] : []),
    ...(rating ? [rated(rating, scope.organizationId)] : []),
    ...(replies ? [replied(replies)] : []),
    ...(tag ? [hasTag(tag)] : []),
  ];
  const matching = conditions.length > 0 ? (bind: Bind) => conditions.map((each) => each(bind)).join(' and ') : undefined;
  const size =
    matching || assignedToUserId ? undefined : sizeOf('conversations', [agentId?.toLowerCase(), status, channel, handoffStatus]);
  return listPage(scope, Conversation, { where, matching, ordering: NEWEST }, page, size);
}

const NEWEST = 'coalesce(r.last_message_at, r.created_at) desc, r.id desc';

const saying = (search: string, organizationId: string) => (bind: Bind) => {
  return `r.id in (select m.conversation_id from agent.messages m
                    where m.organization_id = ${bind(organizationId)} and lower(m.text) like ${containing(search, bind)})`;
};

const rated = (rating: string, organizationId: string) => (bind: Bind) =>
  `r.id in (select m.conversation_id from agent.messages m where m.organization_id = ${bind(organizationId)} and m.rating = ${bind(rating)})`;

/** Conversations with such a reply. The indexes of the replies of an agent serve it. */
function replied({ agentId, version, unanswered, failed, rating, sourceId, handedOver, ...range }: RepliesFilter) {
  const { from, to } = daysOf(range);
  return (bind: Bind) => {
    const inRange = (row: string) => `${row}.agent_id = ${bind(isId(agentId) ? agentId : null)}::uuid
      and ${row}.created_at >= ${bind(from)}::date::timestamp at time zone 'utc'
      and ${row}.created_at < (${bind(to)}::date + 1)::timestamp at time zone 'utc'`;
    const ofVersion = (row: string) =>
      version == null ? [] : [version === 0 ? `${row}.version is null` : `${row}.version = ${bind(version)}::int`];
    const conditions = [
      ...(unanswered == null ? [] : [unanswered ? 'm.unanswered' : 'not m.unanswered']),
      ...(failed ? [`(m.status = 'failed' or (m.status = 'complete' and m.model is null))`] : []),
      ...(rating ? [`m.rating = ${bind(rating)}`] : []),
      ...(sourceId ? [isId(sourceId) ? `m.cited @> array[${bind(sourceId)}::uuid] and m.cited <> '{}'` : 'false'] : []),
    ];
    if (!handedOver)
      return `r.id in (select m.conversation_id from agent.messages m where ${[inRange('m'), ...ofVersion('m'), ...conditions].join(' and ')})`;
    const ofReply = ['m.conversation_id = h.conversation_id', ...conditions].join(' and ');
    const also = conditions.length > 0 ? ` and exists (select from agent.messages m where ${ofReply})` : '';
    return `r.id in (select h.conversation_id from agent.handoffs h where ${[inRange('h'), ...ofVersion('h')].join(' and ')}${also})`;
  };
}

/** Throws `NOT_FOUND`. */
export const findConversation = (scope: Scope, id: string): Promise<Conversation> =>
  readById(scope, Conversation, id, 'Conversation');

/** Messages of a conversation, oldest first. Batches a list into one query. */
export function listMessages(scope: RequestScope, { id, messageCount }: Conversation, { rating, ...page }: MessagesArguments) {
  const list = { of: 'conversationId', filter: { rating }, size: rating ? undefined : messageCount } as const;
  return childPage(scope, id, Message, list, { where: rating ? { rating } : {}, orderBy: { position: 'asc' } }, page);
}

/** The beginning of the newest message with text. Batches a list into one query. */
export function lastMessageTextOf(scope: RequestScope, conversationId: string): Promise<string | null> {
  const read = scope.batch('last message texts', async (ids) => {
    const found = await query(
      scope.em,
      sql<{ id: string; text: string }>`
        select c.id, m.text from unnest(${ids}::uuid[]) as c (id)
          join lateral (select left(text, ${PREVIEW_LENGTH}) as text from agent.messages
                         where conversation_id = c.id and organization_id = ${scope.organizationId} and text <> ''
                         order by position desc limit 1) m on true`,
    );
    return new Map(found.map(({ id, text }) => [id, text]));
  });
  return read(conversationId);
}

const PREVIEW_LENGTH = 200;

/** Questions whose reply says that nothing answers them, newest first. */
export async function listUnanswered(scope: Scope, { agentId, status, ...page }: UnansweredQuestionsArguments) {
  const matching = (bind: Bind) =>
    agentId && isId(agentId)
      ? `r.conversation_id in (select id from agent.conversations where agent_id = ${bind(agentId)})`
      : agentId
        ? 'false'
        : 'true';
  const joined = {
    question: `(select u.text from agent.messages u where u.conversation_id = r.conversation_id and u.role = 'user'
                   and u.position < r.position and (r.replaced or not u.replaced) order by u.position desc limit 1)`,
  };
  const rows = {
    columns: UNANSWERED_COLUMNS,
    joined,
    where: { unanswered: true, questionStatus: status },
    matching,
    orderBy: { createdAt: 'desc', id: 'desc' },
  } as const;
  const { nodes, pagination } = await listPage(scope, Message, rows, page);
  const questions = (nodes as (Message & { question: string | null })[]).map(
    ({ id, conversationId, question, text, createdAt, questionStatus }) => ({
      conversationId,
      messageId: id,
      question: question ?? '',
      reply: text,
      askedAt: createdAt,
      status: questionStatus,
    }),
  );
  return { nodes: questions, pagination };
}

const UNANSWERED_COLUMNS = ['id', 'conversationId', 'text', 'createdAt', 'questionStatus'] as const;

/**
 * Set the status of unanswered questions, by the ids of their replies. A question that somebody asks again is a new entry. Throws
 * `NOT_FOUND` with the `missingIds` unless all are replies that answered nothing.
 */
export async function setQuestionStatus(
  scope: Scope,
  messageIds: readonly string[],
  status: EnumValue<'QuestionStatus'>,
): Promise<number> {
  const found = await transaction(scope, ({ em, organizationId }) =>
    requireAll(messageIds, 'Question', (ids) =>
      query(
        em,
        sql<{ id: string }>`update agent.messages set question_status = ${status}
           where id = any(${ids}::uuid[]) and organization_id = ${organizationId} and unanswered returning id`,
      ),
    ),
  );
  return found.length;
}

/** Closing a conversation closes its open handoff too. */
export function setStatus(scope: RequestScope, id: string, status: EnumValue<'ConversationStatus'>): Promise<Conversation> {
  return transaction(scope, async (inner) => {
    const { em } = inner;
    const locked = await lockConversation(inner, id);
    if (status === 'closed' && isOpen(locked.handoffStatus)) {
      const handoff = await em.findOneOrFail(Handoff, locked.handoffId!);
      await end(inner, locked, handoff, 'closed', { party: 'operator', name: handoff.operatorName ?? undefined });
    }
    // An earlier mutation of the same request may have read it before the handoff closed it.
    const conversation = await em.findOneOrFail(Conversation, id, { refresh: true });
    const isClosing = status === 'closed' && conversation.status === 'open';
    conversation.status = status;
    await em.flush();
    if (isClosing && conversation.channel === 'widget') await emitClosed(inner, conversation);
    return conversation;
  });
}

/** Delete a conversation with its messages and mailed transcripts. A running reply ends with an error. */
export async function deleteConversation(scope: Scope, id: string) {
  if (!isId(id)) notFound();
  const remove = async (inner: Scope) => {
    const { em, organizationId } = inner;
    const conversation = sql`c.id = ${id} and c.organization_id = ${organizationId}`;
    await lockConversations(inner, conversation);
    await refundRunning(inner, conversation);
    await dropMailsOf(inner, [id]);
    const deleted = await query(
      em,
      sql`delete from agent.conversations where id = ${id} and organization_id = ${organizationId} returning 1`,
    );
    if (deleted.length === 0) notFound();
  };
  // The refund and the deletion lock the rows of the organization in another order than a new message does.
  await withDeadlockRetry(() => transaction(scope, remove));
  return { id, deleted: true };
}

function notFound(): never {
  throw fail('NOT_FOUND', 'Conversation not found');
}

/** Messages and characters of a transcript: the newest ones. */
const [MAX_MESSAGES, MAX_CHARACTERS] = [500, 200_000];

/**
 * Mail the messages of a conversation to its contact. Throws `UNPROCESSABLE` without a contact with an address, and `UNAVAILABLE` without an
 * SMTP server.
 */
export async function mailTranscript(scope: RequestScope, conversationId: string): Promise<OutgoingMail> {
  if (!isId(conversationId)) throw fail('NOT_FOUND', 'Conversation not found');
  const id = canonicalId(conversationId);
  const sourceId = uuid();
  return transaction(scope, async (inner) => {
    const [people] = await query(
      inner.em,
      sql<{ email: string | null; agent: string }>`
        select n.email, a.name as agent from agent.conversations c join agent.agents a on a.id = c.agent_id
          left join agent.contacts n on n.id = c.contact_id
         where c.id = ${id} and c.organization_id = ${inner.organizationId} for share of c`,
    );
    if (!people) throw fail('NOT_FOUND', 'Conversation not found');
    if (!people.email) throw fail('UNPROCESSABLE', 'The conversation has no contact with an e-mail address.');
    if (!scope.services.mail) throw fail('UNAVAILABLE', 'Mail is not set up.');
    await enqueueMail(inner, {
      kind: 'transcript',
      recordId: id,
      sourceId,
      recipient: people.email,
      userId: scope.caller.userId,
      ...(await transcriptOf(inner, id, people.agent)),
    });
    return (await mailsOf(inner, [sourceId])).get(sourceId)!;
  });
}

/** In the language of the conversation. */
async function transcriptOf({ em, organizationId }: Scope, id: string, agent: string): Promise<{ subject: string; text: string }> {
  const messages = await query(
    em,
    sql<{ role: string; authorName: string | null; text: string; at: string }>`
      select role, author_name as "authorName", text, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as at from (
        select *, sum(length(text)) over (order by position desc) as characters from (
          select position, role, author_name, text, created_at from agent.messages
           where conversation_id = ${id} and organization_id = ${organizationId} and text <> '' and not replaced
             and role in ('user', 'assistant', 'operator') order by position desc limit ${MAX_MESSAGES}) m) n
       where characters <= ${MAX_CHARACTERS} order by position`,
  );
  const words = wordsFor(...messages.map(({ text }) => text));
  const nameOf = ({ role, authorName }: (typeof messages)[number]) =>
    role === 'user' ? words.you : role === 'operator' ? teamName(authorName ?? '') : agent;
  const text = messages.map((message) => `${nameOf(message)} (${message.at} UTC):\n${message.text}`).join('\n\n');
  return { subject: words.conversationWith(agent), text };
}
