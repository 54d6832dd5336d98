import { fail } from '../../../schema/errors.ts';
import { query, sql } from '../../common/database.ts';
import { type RequestScope, visiting } from '../../common/scope.ts';
import { embeddedAgent, visitorOf } from '../chat/access.ts';
import { findConversation } from '../chat/service.ts';
import type { VisitorConversation, VisitorMessage } from './types.ts';

export const MAX_MESSAGES = 100;

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
  const sender = { agent, channel: 'widget', visitorId: visitorOf(visitorId) } as const;
  const id = await findConversation(within, sender, conversationId);
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
  const newest = await query(
    em,
    sql<VisitorMessage>`
      select id, client_id as "clientId", position, role, status, text, parts, author_name as "authorName", rating,
             created_at as "createdAt"
        from agent.messages where conversation_id = ${conversation.id} and not replaced
       order by position desc limit ${MAX_MESSAGES}`,
  );
  // The pool returns timestamps as text.
  const messages = newest.toReversed().map((message) => ({ ...message, createdAt: new Date(message.createdAt) }));
  return { ...conversation, messages };
}
