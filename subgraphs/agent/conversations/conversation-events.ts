import { clock, query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { emitEvent } from '../agent-events.ts';

interface OfAgent {
  id: string;
  agentId: string;
}

/** The current name of an agent. */
async function nameOf({ em, organizationId }: Scope, agentId: string): Promise<string> {
  const [agent] = await query(
    em,
    sql<{ name: string }>`select name from agent.agents where id = ${agentId} and organization_id = ${organizationId}`,
  );
  return agent?.name ?? '';
}

/** Emits that a visitor began a conversation, in the transaction that creates it. */
export const emitStarted = (scope: Scope, conversation: OfAgent): Promise<void> =>
  emitEvent(scope, 'conversation.started', conversation, async () => {
    const { messageCount: _, ...data } = await dataOf(scope, conversation);
    return data;
  });

/** Emits that a conversation with a visitor was closed, in the transaction that closes it. */
export const emitClosed = (scope: Scope, conversation: OfAgent): Promise<void> =>
  emitEvent(scope, 'conversation.closed', conversation, async () => ({
    ...(await dataOf(scope, conversation)),
    closedAt: clock.now(),
  }));

async function dataOf(scope: Scope, { id, agentId }: OfAgent) {
  const [row] = await query(
    scope.em,
    sql<{ messageCount: number; createdAt: string }>`
      select message_count as "messageCount", created_at as "createdAt" from agent.conversations
       where id = ${id} and organization_id = ${scope.organizationId}`,
  );
  const { messageCount, createdAt } = row!;
  return { id, agentId, agentName: await nameOf(scope, agentId), messageCount, createdAt: new Date(createdAt) };
}

interface RequestedHandoff extends OfAgent {
  conversationId: string;
  requestedBy: EnumValue<'HandoffParty'>;
  awayUntil: Date | null;
  createdAt: Date;
}

/** Emits that a visitor or an agent asked for a person. The reason is left out, because it may contain personal data. */
export const emitRequested = (scope: Scope, handoff: RequestedHandoff): Promise<void> =>
  emitEvent(scope, 'handoff.requested', handoff, async () => {
    const { id, conversationId, agentId, requestedBy, awayUntil, createdAt } = handoff;
    return { id, conversationId, agentId, agentName: await nameOf(scope, agentId), requestedBy, awayUntil, createdAt };
  });

interface RatedReply extends OfAgent {
  conversationId: string;
  version: number | null;
  ratedAt: string;
}

/** Emits that a visitor rated a reply as bad. A visitor who changes the rating again and again causes one event. */
export const emitRatedDown = (scope: Scope, { id, conversationId, agentId, version, ratedAt }: RatedReply): Promise<void> =>
  emitEvent(scope, 'message.rated_down', { id, agentId }, async () => {
    const known = await query(
      scope.em,
      sql`select from webhooks.deliveries
           where record_id = ${id} and organization_id = ${scope.organizationId} and event = 'message.rated_down' limit 1`,
    );
    if (known.length > 0) return null;
    return { id, conversationId, agentId, agentName: await nameOf(scope, agentId), version, ratedAt: new Date(ratedAt) };
  });
