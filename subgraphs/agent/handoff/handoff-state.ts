import { clock, findById, isId, query, sql } from '../../../platform/database/index.ts';
import { type ChangeLog, PAGE_SIZE } from '../../../platform/progress/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { type AwayNotice, nextOpening, type OfficeHours } from '../agents/office-hours.ts';
import { stopRunning } from '../chat/reply-store.ts';
import { emitClosed, emitRequested } from '../conversations/conversation-events.ts';
import { ERASED_VISITOR } from '../conversations/entity.ts';
import { Handoff, type HandoffEvent } from './entity.ts';

/** A conversation that the transaction has locked. */
export interface LockedConversation {
  id: string;
  agentId: string;
  visitorId: string;
  channel: EnumValue<'ConversationChannel'>;
  messageCount: number;
  handoffId: string | null;
  handoffStatus: EnumValue<'HandoffStatus'> | null;
  /** Tokens of visitors with another version are revoked. */
  handoffVersion: number;
}

/** The author of an action on a handoff. Only operators have a name. */
export interface Actor {
  party: EnumValue<'HandoffParty'>;
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
  { party, reason = null, version = null }: { party: Actor['party']; reason?: string | null; version?: number | null },
): Promise<Handoff> {
  const { em, organizationId } = scope;
  if (conversation.channel !== 'widget') throw fail('UNPROCESSABLE', 'Only conversations with visitors can be handed to a person.');
  if (isOpen(conversation.handoffStatus)) return em.findOneOrFail(Handoff, conversation.handoffId!);
  const { id: conversationId, agentId } = conversation;
  const handoff = em.create(Handoff, {
    organizationId,
    agentId,
    conversationId,
    status: 'waiting',
    requestedBy: party,
    reason,
    version,
    awayUntil: party === 'operator' ? null : ((await readAway(scope, agentId))?.opensAt ?? null),
  });
  await em.flush();
  conversation.handoffId = handoff.id;
  await setStatus(scope, conversation, 'waiting', { party });
  if (party !== 'operator') await emitRequested(scope, handoff);
  return handoff;
}

/** The away message of an agent and its next opening, with the time zone of the team; null within its office hours. */
export async function readAway(
  { em, organizationId }: Scope,
  agentId: string,
): Promise<(AwayNotice & { timeZone: string }) | null> {
  const [agent] = await query(
    em,
    sql<{
      hours: OfficeHours | null;
    }>`select office_hours as hours from agent.agents where id = ${agentId} and organization_id = ${organizationId}`,
  );
  const hours = agent?.hours;
  const opensAt = hours && nextOpening(hours, clock.now());
  return opensAt ? { message: hours.awayMessage, opensAt, timeZone: hours.timeZone } : null;
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

/** Let a handoff whose operator has left the organization wait for another person. The agent answers again meanwhile. */
export async function release(scope: Scope, conversation: LockedConversation, handoff: Handoff): Promise<void> {
  handoff.status = 'waiting';
  handoff.operatorId = null;
  handoff.operatorName = null;
  await scope.em.flush();
  await setStatus(scope, conversation, 'waiting', { party: handoff.requestedBy });
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
  status: EnumValue<'HandoffStatus'>,
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
  if (isClosed) await emitClosed(scope, conversation);
}

/** Notification channels: the id of a conversation with a new event, and of an organization whose open handoffs changed. */
const EVENTS_CHANNEL = 'handoff_events';
export const QUEUE_CHANNEL = 'handoff_queue';

type NewEvent = Pick<HandoffEvent, 'type' | 'party'> & { operatorName?: string | null; messageId?: string; seenTo?: number };
type Sql = ReturnType<typeof sql>;

/**
 * Append an event to the log of a conversation, which notifies both sides on commit. Returns false, without an event, unless the
 * conversation meets the condition.
 * @param also further columns of the conversation to set, each after a comma
 */
export async function appendEvent(
  { em, organizationId }: Scope,
  conversationId: string,
  { type, party, operatorName = null, messageId, seenTo }: NewEvent,
  { condition = sql`true`, also = sql`` }: { condition?: Sql; also?: Sql } = {},
): Promise<boolean> {
  const appended = await query(
    em,
    sql`with changed as (
          update agent.conversations set event_sequence = event_sequence + 1 ${also}
           where id = ${conversationId} and organization_id = ${organizationId} and handoff_status is not null and ${condition}
          returning id, organization_id, event_sequence, handoff_status)
        insert into agent.handoff_events (conversation_id, sequence, type, status, party, operator_name, message_id, seen_to)
        select id, event_sequence, ${type}, handoff_status, ${party}, ${operatorName}, ${messageId ?? null}::uuid, ${seenTo ?? null}::int
          from changed
        returning pg_notify(${EVENTS_CHANNEL}, conversation_id::text)`,
  );
  // Typing changes nothing in the list of open handoffs.
  if (appended.length > 0 && type !== 'typing') await query(em, sql`select pg_notify(${QUEUE_CHANNEL}, ${organizationId}::text)`);
  return appended.length > 0;
}

const READ = `
  select e.sequence, e.type, e.status, e.party, e.operator_name as "operatorName", e.seen_to as "seenTo", e.created_at as "createdAt",
         c.visitor_id as "visitorId",
         case when m.id is not null then json_build_object('id', m.id, 'position', m.position, 'role', m.role, 'text', m.text,
           'authorName', m.author_name, 'createdAt', m.created_at) end as message
    from agent.handoff_events e
    join agent.conversations c on c.id = e.conversation_id and c.organization_id = $2
    left join agent.messages m on m.id = e.message_id
   where e.conversation_id = $1 and e.sequence > $3 and e.sequence <= $4
     and (e.type <> 'typing' or e.created_at > now() - interval '10 seconds')
   order by e.sequence limit ${PAGE_SIZE}`;

const ENDED = `select handoff_status is not distinct from 'closed' and event_sequence <= $3 as ended from agent.conversations where id = $1 and organization_id = $2`;

const MAX_SEQUENCE = 2_147_483_647;

/** An event, with the visitor of the conversation at the time of the read. */
export interface ReadEvent extends HandoffEvent {
  visitorId: string;
}

/** The events of a conversation. The log ends when a handoff is closed; the next handoff continues the numbers. */
export const handoffLog: ChangeLog<ReadEvent, ReadEvent> = {
  channel: EVENTS_CHANNEL,
  async read({ services, organizationId }, conversationId, after, upTo = MAX_SEQUENCE) {
    const { rows } = await services.pool.query<ReadEvent>({
      name: 'handoff events',
      text: READ,
      values: [conversationId, organizationId, after, upTo],
    });
    return rows.map((event) => ({
      ...event,
      createdAt: new Date(event.createdAt),
      message: event.message && { ...event.message, createdAt: new Date(event.message.createdAt) },
    }));
  },
  merge: (changes) => changes,
  isEnded: (status) => status === 'closed',
  async hasEnded({ services, organizationId }, conversationId, seen) {
    const { rows } = await services.pool.query<{ ended: boolean }>({
      name: 'handoff ended',
      text: ENDED,
      values: [conversationId, organizationId, seen],
    });
    return rows[0]?.ended ?? true;
  },
};
