import { LockMode } from '@mikro-orm/postgresql';
import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { dropDeliveriesOf } from '../../../platform/webhooks/index.ts';
import { setStatus, touch } from '../tickets/changes.ts';
import { Ticket } from '../tickets/entity.ts';
import { isAnonymous } from './conversations.ts';
import type { Erasing } from './entity.ts';

/** Messages of one transaction. */
const MESSAGES = 1_000;
/** The subject of a ticket whose content was erased. Clients require a text. */
const SUBJECT = 'Erased';

/** Erase the content of the next ticket of the contact or its conversations. Its number, status and times stay; an open one is cancelled. */
export async function eraseNextTicket(scope: Scope, { id }: Erasing): Promise<number | null> {
  const { em } = scope;
  const [next] = await query(
    em,
    sql<{ id: string }>`
      select id from agent.tickets where contact_id = ${id} and erased_at is null
      union all select t.id from agent.conversations c join agent.tickets t on t.conversation_id = c.id
                 where c.contact_id = ${id} and t.erased_at is null and ${isAnonymous('t.contact_id')}
      limit 1`,
  );
  if (!next) return null;
  const ticket = await em.findOneOrFail(Ticket, next.id, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  await removeMergedCopies(scope, ticket);
  await dropDeliveriesOf(scope, [ticket.id]);
  await touch(scope, ticket);
  Object.assign(ticket, {
    subject: SUBJECT,
    description: '',
    category: null,
    requesterName: null,
    requesterEmail: null,
    conversationId: null,
    conversationSummary: null,
    // Answers to earlier requests are found by it. It becomes null with the end of the contact.
    contactId: id,
    erasedAt: ticket.lastActivityAt,
  } satisfies Partial<Ticket>);
  await em.flush();
  const isOpen = !['closed', 'cancelled'].includes(ticket.status);
  await setStatus(scope, ticket, isOpen ? 'cancelled' : ticket.status);
  await em.flush();
  return 1;
}

/** Messages that the ticket brought into another one when no origin was recorded: the note of the merge, and those with its requester. */
async function removeMergedCopies({ em }: Scope, { id, ticketNumber, requesterName, requesterEmail }: Ticket): Promise<void> {
  await query(
    em,
    sql`with recursive merged as (
          select id, merged_into_id from agent.tickets where id = ${id}
          union all select t.id, t.merged_into_id from merged m join agent.tickets t on t.id = m.merged_into_id)
        delete from agent.ticket_messages x using merged m
         where x.ticket_id = m.id and m.id <> ${id} and x.merged_from_id is null
           and not exists (select from agent.ticket_messages where merged_from_id = ${id})
           and (x.kind = 'note' and starts_with(x.text, ${`Merged ${ticketNumber}: `})
                or x.kind = 'requester' and x.author_name in (${requesterName}, ${requesterEmail}))`,
  );
}

/** The messages of erased tickets, also those in tickets that they were merged into. */
export async function removeTicketMessages({ em }: Scope, { id }: Erasing): Promise<number | null> {
  const removed = await query(
    em,
    sql`delete from agent.ticket_messages where id in (
          select x.id from agent.tickets t join agent.ticket_messages x on x.ticket_id = t.id where t.contact_id = ${id}
          union select x.id from agent.tickets t join agent.ticket_messages x on x.merged_from_id = t.id where t.contact_id = ${id}
          limit ${MESSAGES}) returning 1`,
  );
  return removed.length || null;
}

/** Tickets of other people in the conversations lose what they contain of the conversation. */
export async function unlinkOtherTickets({ em }: Scope, { id }: Erasing): Promise<number | null> {
  const unlinked = await query(
    em,
    sql`update agent.tickets set conversation_id = null, conversation_summary = null where id in (
          select t.id from agent.conversations c join agent.tickets t on t.conversation_id = c.id
           where c.contact_id = ${id} order by t.id limit 100 for update of t) returning 1`,
  );
  return unlinked.length || null;
}
