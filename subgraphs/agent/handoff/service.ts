import type { EventStream } from 'compiled-gateway/event-stream';
import { isId, query, readById, readRows, sql } from '../../../platform/database/index.ts';
import { requireHelpdesk } from '../../../platform/identity/index.ts';
import { listPage, sizeOf } from '../../../platform/lists/index.ts';
import { followChanges } from '../../../platform/progress/index.ts';
import { detached, type RequestScope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Conversation } from '../conversations/entity.ts';
import { teamName } from '../visitor-text.ts';
import type { HandoffEvent, HandoffMessage, HandoffsArguments, VisitorMessageArguments } from './entity.ts';
import { Handoff } from './entity.ts';
import { type Actor, assign, end, handoffLog, isOpen, lockConversation, lockHandoff, openHandoff } from './handoff-state.ts';
import { addMessage, setSeen, setTyping } from './messages.ts';

const STATE_COLUMNS = ['id', 'eventSequence'] as const;

/** Handoffs of the organization, newest first. */
export function listHandoffs(scope: RequestScope, { status, agentId, ...page }: HandoffsArguments) {
  const where = { ...(status && { status }), ...(agentId && { agentId: isId(agentId) ? agentId : [] }) };
  return listPage(
    scope,
    Handoff,
    { where, orderBy: { createdAt: 'desc', id: 'desc' } },
    page,
    sizeOf('handoffs', [agentId?.toLowerCase(), status]),
  );
}

/** Throws `NOT_FOUND`. */
export const findHandoff = (scope: RequestScope, id: string): Promise<Handoff> => readById(scope, Handoff, id, 'Handoff');

/** The handoff of a conversation that waits for a person or that a person has. Batches a list into one query. */
export async function openHandoffOf(scope: RequestScope, { id, handoffStatus }: Conversation): Promise<Handoff | null> {
  if (!isOpen(handoffStatus)) return null;
  const read = scope.batch('open handoffs', async (ids) => {
    const found = await readRows(scope, Handoff, { where: { conversationId: ids, status: ['waiting', 'active'] } });
    return new Map(found.map((handoff) => [handoff.conversationId, handoff]));
  });
  return read(id);
}

/** Messages of the visitor that no operator has seen. Batches a list into one query. */
export async function unseenOf(scope: RequestScope, conversationId: string): Promise<number> {
  const read = scope.batch('unseen messages', async (ids) => {
    const counts = await query(
      scope.em,
      sql<{ id: string; unseen: number }>`
        select c.id, count(m.id)::int as unseen from agent.conversations c
          left join agent.messages m on m.conversation_id = c.id and m.position > c.operator_seen and m.role = 'user'
         where c.id = any(${ids}::uuid[]) and c.organization_id = ${scope.organizationId} group by c.id`,
    );
    return new Map(counts.map(({ id, unseen }) => [id, unseen]));
  });
  return (await read(conversationId)) ?? 0;
}

/** Take a conversation over from its agent, or with `force` from a colleague. Throws `CONFLICT` while a colleague has it. */
export function takeOver(scope: RequestScope, conversationId: string, force: boolean): Promise<Handoff> {
  requireHelpdesk(scope, 'Handoffs');
  return transaction(scope, async (inner) => {
    const conversation = await lockConversation(inner, conversationId);
    const operator = operatorOf(scope);
    const handoff = await openHandoff(inner, conversation, operator);
    if (handoff.operatorId === operator.id) return handoff;
    if (handoff.status === 'active' && !force)
      throw fail('CONFLICT', `${handoff.operatorName} has already taken over this conversation.`);
    await assign(inner, conversation, handoff, operator);
    return handoff;
  });
}

/** Send a message to the visitor. Only the operator of the conversation may do so. */
export function sendMessage(scope: RequestScope, id: string, message: VisitorMessageArguments): Promise<HandoffMessage> {
  return transaction(scope, async (inner) => {
    const { handoff, conversation } = await lockHandoff(inner, id);
    requireOperator(handoff, scope);
    return addMessage(inner, conversation, operatorOf(scope), { text: message.text, clientId: message.clientId ?? null });
  });
}

export async function showTyping(scope: RequestScope, id: string): Promise<boolean> {
  const handoff = await findHandoff(scope, id);
  requireOperator(handoff, scope);
  return setTyping(scope, handoff.conversationId, operatorOf(scope));
}

export async function showSeen(scope: RequestScope, id: string, position: number): Promise<boolean> {
  const handoff = await findHandoff(scope, id);
  return setSeen(scope, handoff.conversationId, operatorOf(scope), position);
}

/** End an open handoff. Any member may, because the operator may have left. */
export function endHandoff(scope: RequestScope, id: string, status: 'returned' | 'closed'): Promise<Handoff> {
  return transaction(scope, async (inner) => {
    const { handoff, conversation } = await lockHandoff(inner, id);
    if (!isOpen(handoff.status)) throw fail('UNPROCESSABLE', `The handoff is ${handoff.status}.`);
    await end(inner, conversation, handoff, status, operatorOf(scope));
    return handoff;
  });
}

/** Streams the events of a conversation after the given one, in order, until its handoff is closed. */
export async function followConversation(
  scope: RequestScope,
  id: string,
  after?: number | null,
): Promise<EventStream<HandoffEvent>> {
  const conversation = await readById(scope, Conversation, id, 'Conversation', { columns: STATE_COLUMNS });
  return followChanges(handoffLog, scope, { id: conversation.id, sequence: conversation.eventSequence, after });
}

/** Visitors see only the name. */
const operatorOf = ({ caller }: RequestScope): Actor => ({
  party: 'operator',
  id: caller.userId,
  name: teamName(caller.name),
});

function requireOperator({ status, operatorId, operatorName }: Handoff, { caller }: RequestScope): void {
  if (status !== 'active')
    throw fail('UNPROCESSABLE', status === 'waiting' ? 'Take the conversation over first.' : `The handoff is ${status}.`);
  if (operatorId !== caller.userId) throw fail('CONFLICT', `${operatorName} has already taken over this conversation.`);
}

/** Open handoffs without a message for a day, which begins with the next opening outside of the office hours. Nobody waits for them any more. */
const IDLE = `
  select h.id, h.organization_id as "organizationId" from agent.handoffs h join agent.conversations c on c.id = h.conversation_id
   where h.status in ('waiting', 'active') and greatest(h.created_at, h.taken_at, h.away_until, c.last_message_at) < now() - interval '1 day'`;

/** Close handoffs that both sides have left. */
export async function endIdleHandoffs(services: Services): Promise<void> {
  const { rows } = await services.pool.query<{ id: string; organizationId: string }>(`${IDLE} limit 100`);
  for (const { id, organizationId } of rows) {
    const closing = transaction(detached({ services, organizationId }), async (inner) => {
      const { handoff, conversation } = await lockHandoff(inner, id);
      // A message may have arrived before the lock.
      const [idle] = await query(inner.em, sql`${sql.raw(IDLE)} and h.id = ${id}`);
      if (idle) await end(inner, conversation, handoff, 'closed', null);
    });
    await closing.catch((error: unknown) => log.warn({ err: error, handoffId: id }, 'Failed to close an idle handoff'));
  }
}
