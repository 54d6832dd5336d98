import { findById, isId, query, sql } from '../../../platform/database/index.ts';
import { detached, type RequestScope, type Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Agent } from '../agents/entity.ts';
import { embeddedAgent, visitorOf } from './access.ts';
import type { NewMessage } from './begin.ts';

/** A caller who writes to an agent. */
export interface Sender extends Pick<NewMessage, 'agent' | 'channel' | 'visitorId'> {
  /** Reaches the conversations of the sender. */
  scope: Scope;
}

/** An admin who tries an agent. Throws `NOT_FOUND` for an unknown agent. */
export async function adminSender(scope: RequestScope, agentId: string): Promise<Sender> {
  const agent = await findById(scope.em, Agent, agentId, 'Agent', { populate: ['systemPrompt'] });
  return { scope, agent, channel: 'admin', visitorId: scope.caller.userId };
}

/** A visitor of a page that may embed the agent. The scope is detached, because a reply outlives its request. */
export async function visitorSender(request: RequestScope, publicSlug: string, visitorId?: string | null): Promise<Sender> {
  const agent = await embeddedAgent(request, publicSlug);
  const scope = detached({ services: request.services, organizationId: agent.organizationId });
  return { scope, agent, channel: 'widget', visitorId: visitorOf(visitorId) };
}

/** The id of a conversation of the sender, which `id` or the chat id of the client names. */
export async function findConversationId({ scope, agent, channel, visitorId }: Sender, id: string): Promise<string | undefined> {
  const named = isId(id) ? sql`(id = ${id} or client_id = ${id})` : sql`client_id = ${id}`;
  const [found] = await query(
    scope.em,
    sql<{ id: string }>`select id from agent.conversations
                         where ${named} and agent_id = ${agent.id} and visitor_id = ${visitorId} and channel = ${channel}`,
  );
  return found?.id;
}

/** Like `findConversationId`. Throws `NOT_FOUND`. */
export async function requireConversationId(sender: Sender, id: string): Promise<string> {
  const found = await findConversationId(sender, id);
  if (found === undefined) throw fail('NOT_FOUND', 'Conversation not found');
  return found;
}
