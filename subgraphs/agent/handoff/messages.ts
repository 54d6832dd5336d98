import { v7 as uuid } from 'uuid';
import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { withdrawApprovals } from '../approvals/requests.ts';
import { tokensOf } from '../retrieval/token-count.ts';
import type { HandoffMessage } from './entity.ts';
import { type Actor, appendEvent, type LockedConversation } from './handoff-state.ts';

/** A retry is found among so many of the newest messages. */
const RETRIED = 100;
const COLUMNS = sql`id, position, role, text, author_name as "authorName", created_at as "createdAt"`;

interface NewMessage {
  text: string;
  clientId: string | null;
  /** The id of the chat request, when it may be sent again. */
  requestId?: string | null;
}

/** Store a message of the visitor or the operator in a locked conversation. A retry returns the message that is stored already. */
export async function addMessage(
  scope: Scope,
  conversation: Pick<LockedConversation, 'id' | 'messageCount'>,
  { party, id, name }: Actor,
  { text, clientId, requestId = null }: NewMessage,
): Promise<HandoffMessage> {
  const role = party === 'operator' ? 'operator' : 'user';
  const [known] = clientId ? await query(scope.em, retryOf(conversation, role, clientId, text)) : [];
  if (known) return dated(known);
  const position = conversation.messageCount + 1;
  const parts = JSON.stringify([{ type: 'text', text }]);
  const [message] = await query(
    scope.em,
    sql<HandoffMessage>`
      insert into agent.messages (id, organization_id, conversation_id, position, role, status, text, parts, tokens, client_id, request_id,
                                  author_id, author_name, finished_at)
      values (${uuid()}, ${scope.organizationId}, ${conversation.id}, ${position}, ${role}, 'complete', ${text}, ${parts}::jsonb,
              ${tokensOf(text)}, ${clientId}, ${requestId}, ${id ?? null}::uuid, ${name ?? null}, now())
      returning ${COLUMNS}`,
  );
  // A visitor who writes to a person instead does not approve either.
  if (party === 'visitor') await withdrawApprovals(scope, conversation.id, ['visitor']);
  conversation.messageCount = position;
  const counted = sql`, message_count = ${position}::int, last_message_at = now(), status = 'open'`;
  await appendEvent(
    scope,
    conversation.id,
    { type: 'message', party, operatorName: name, messageId: message!.id },
    { also: counted },
  );
  return dated(message!);
}

const retryOf = (
  { id, messageCount }: Pick<LockedConversation, 'id' | 'messageCount'>,
  role: string,
  clientId: string,
  text: string,
) => sql<HandoffMessage>`
  select ${COLUMNS} from agent.messages
   where conversation_id = ${id} and position > ${messageCount - RETRIED} and role = ${role} and client_id = ${clientId} and text = ${text}`;

/** The pool returns timestamps as text. */
const dated = (message: HandoffMessage): HandoffMessage => ({ ...message, createdAt: new Date(message.createdAt) });

/** Tell the other side that this one is typing, at most every two seconds. Has no effect unless a person has the conversation. */
export function setTyping(scope: Scope, conversationId: string, { party, name }: Actor): Promise<boolean> {
  const column = sql.ref(party === 'operator' ? 'operator_typing_at' : 'visitor_typing_at');
  const isDue = sql`coalesce(${column}, '-infinity') < now() - interval '2 seconds'`;
  return appendEvent(
    scope,
    conversationId,
    { type: 'typing', party, operatorName: name },
    { condition: sql`handoff_status = 'active' and ${isDue}`, also: sql`, ${column} = now()` },
  );
}

/** Record that this side has seen the messages up to a position. Has no effect when it has seen later ones, or no handoff is open. */
export function setSeen(scope: Scope, conversationId: string, { party, name }: Actor, position: number): Promise<boolean> {
  const column = sql.ref(party === 'operator' ? 'operator_seen' : 'visitor_seen');
  return appendEvent(
    scope,
    conversationId,
    { type: 'seen', party, operatorName: name, seenTo: position },
    {
      condition: sql`handoff_status in ('waiting', 'active') and message_count >= ${position} and ${column} < ${position}`,
      also: sql`, ${column} = ${position}`,
    },
  );
}
