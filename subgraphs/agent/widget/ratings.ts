import { isId, query, sql } from '../../../platform/database/index.ts';
import { detached, type RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { countMessage, embeddedAgent, visitorOf } from '../chat/access.ts';
import { textOrNull } from '../text.ts';
import type { NewRating, RatedMessage } from './types.ts';

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
  const visitor = visitorOf(visitorId);
  await countMessage(scope, agent, visitor);
  const { em } = detached({ services: scope.services, organizationId: agent.organizationId });
  const [rated] = isId(messageId)
    ? await query(
        em,
        sql<RatedMessage>`
          update agent.messages m set rating = ${rating}, rating_comment = ${rating && textOrNull(comment)},
                 rated_at = ${rating ? sql`now()` : sql`null`}
            from agent.conversations c
           where m.id = ${messageId} and m.role = 'assistant' and m.status in ('complete', 'stopped') and c.id = m.conversation_id
             and c.agent_id = ${agent.id} and c.visitor_id = ${visitor} and c.channel = 'widget'
          returning m.id, m.rating, m.rating_comment as comment`,
      )
    : [];
  if (!rated) throw fail('NOT_FOUND', 'Message not found');
  return rated;
}
