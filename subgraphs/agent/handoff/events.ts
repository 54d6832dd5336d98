import { query, sql } from '../../../platform/database/index.ts';
import { type ChangeLog, PAGE_SIZE } from '../../../platform/progress/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { HandoffEvent } from './types.ts';

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

/** The events of a conversation. The log ends when a handoff is closed; the next handoff continues the numbers. */
export const handoffLog: ChangeLog<HandoffEvent, HandoffEvent> = {
  channel: EVENTS_CHANNEL,
  async read({ services, organizationId }, conversationId, after, upTo = MAX_SEQUENCE) {
    const { rows } = await services.pool.query<HandoffEvent>({
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
