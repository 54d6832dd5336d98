import { query, sql } from '../../../platform/database/index.ts';
import { type RequestScope, visiting } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { embeddedAgent, visitorOf } from '../chat/access.ts';
import { findConversationId } from '../chat/sender.ts';
import type { VisitorConversation, VisitorMessage } from './types.ts';

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
  const id = await findConversationId({ scope: within, agent, channel: 'widget', visitorId: visitorOf(visitorId) }, conversationId);
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
