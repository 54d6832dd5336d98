import { clock, findById, isId, query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';
import { stopRunning } from '../chat/stop.ts';
import { ERASED_VISITOR } from '../conversations/entity.ts';
import { Handoff } from './entity.ts';
import { appendEvent } from './events.ts';

/** A conversation that the transaction has locked. */
export interface LockedConversation {
  id: string;
  agentId: string;
  visitorId: string;
  channel: Word<'ConversationChannel'>;
  messageCount: number;
  handoffId: string | null;
  handoffStatus: Word<'HandoffStatus'> | null;
  /** Tokens of visitors with another version are revoked. */
  handoffVersion: number;
}

/** The author of an action on a handoff. Only operators have a name. */
export interface Actor {
  party: Word<'HandoffParty'>;
  id?: string;
  name?: string;
}

export const isOpen = (status: string | null): status is 'waiting' | 'active' => status === 'waiting' || status === 'active';

/** Lock a conversation of the organization until the commit. Every change of a handoff starts with it. Throws `NOT_FOUND`, also during an erasure. */
export async function lockConversation({ em, organizationId }: Scope, id: string): Promise<LockedConversation> {
  const [locked] = isId(id)
    ? await query(
        em,
        sql<LockedConversation>`select id, agent_id as "agentId", visitor_id as "visitorId", channel, message_count as "messageCount",
                                       handoff_id as "handoffId", handoff_status as "handoffStatus", handoff_version as "handoffVersion"
                                  from agent.conversations where id = ${id} and organization_id = ${organizationId} and visitor_id <> ${ERASED_VISITOR} for update`,
      )
    : [];
  if (!locked) throw fail('NOT_FOUND', 'Conversation not found');
  return locked;
}

/** Lock the conversation of a handoff. Throws `NOT_FOUND`. */
export async function lockHandoff(scope: Scope, id: string): Promise<{ handoff: Handoff; conversation: LockedConversation }> {
  const { conversationId } = await findById(scope.em, Handoff, id, 'Handoff');
  const conversation = await lockConversation(scope, conversationId);
  // It may have changed before the lock.
  const handoff = await scope.em.findOneOrFail(Handoff, id, { refresh: true });
  return { handoff, conversation };
}

/** The open handoff of a locked conversation, or a new one that waits for a person. */
export async function openHandoff(
  scope: Scope,
  conversation: LockedConversation,
  { party, reason = null }: { party: Actor['party']; reason?: string | null },
): Promise<Handoff> {
  const { em, organizationId } = scope;
  if (conversation.channel !== 'widget') throw fail('UNPROCESSABLE', 'Only conversations with visitors can be handed to a person.');
  if (isOpen(conversation.handoffStatus)) return em.findOneOrFail(Handoff, conversation.handoffId!);
  const { id: conversationId, agentId } = conversation;
  const handoff = em.create(Handoff, { organizationId, agentId, conversationId, status: 'waiting', requestedBy: party, reason });
  await em.flush();
  conversation.handoffId = handoff.id;
  await setStatus(scope, conversation, 'waiting', { party });
  return handoff;
}

/** Give the conversation of a handoff to an operator. The agent is silent from then on, and its running reply is stopped. */
export async function assign(scope: Scope, conversation: LockedConversation, handoff: Handoff, operator: Actor): Promise<void> {
  handoff.status = 'active';
  handoff.operatorId = operator.id!;
  handoff.operatorName = operator.name!;
  handoff.takenAt ??= clock.now();
  await scope.em.flush();
  await stopRunning(scope.em, conversation.id);
  await setStatus(scope, conversation, 'active', operator);
}

/** End an open handoff. `returned` gives the conversation back to the agent; `closed` closes it and revokes the visitor's tokens. */
export async function end(
  scope: Scope,
  conversation: LockedConversation,
  handoff: Handoff,
  status: 'returned' | 'closed',
  actor: Actor | null,
): Promise<void> {
  handoff.status = status;
  handoff.endedAt = clock.now();
  handoff.endedBy = actor?.party ?? null;
  await scope.em.flush();
  await setStatus(scope, conversation, status, { name: handoff.operatorName ?? undefined, ...(actor ?? { party: 'agent' }) });
}

async function setStatus(
  scope: Scope,
  conversation: LockedConversation,
  status: Word<'HandoffStatus'>,
  { party, name }: Actor,
): Promise<void> {
  const isClosed = status === 'closed';
  await query(
    scope.em,
    sql`update agent.conversations set handoff_id = ${conversation.handoffId}, handoff_status = ${status},
               status = ${isClosed ? 'closed' : 'open'}, handoff_version = handoff_version + ${isClosed ? 1 : 0}::int
         where id = ${conversation.id}`,
  );
  conversation.handoffStatus = status;
  await appendEvent(scope, conversation.id, { type: 'status', party, operatorName: name });
}
