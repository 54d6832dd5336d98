import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/postgresql';
import { canonicalId, findById, isId, query, sql } from '../../../platform/database/index.ts';
import { memberName, requireHelpdesk } from '../../../platform/identity/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { truncate } from '../../../schema/text.ts';
import { emitEvent } from '../agent-events.ts';
import { nextRecordTime } from '../recent-list.ts';
import { MAX_TAGS, normalTags } from '../teamwork/tags.ts';
import { mailReply, Ticket, TicketMessage } from './entity.ts';

type Status = EnumValue<'TicketStatus'>;

/** The documented data of every ticket event. */
export const eventData = ({ ticketNumber, subject, status, priority, requesterEmail }: Ticket) => ({
  ticketNumber,
  subject,
  status,
  priority,
  requesterEmail,
});

/** Assign a ticket to a member of the organization. A new ticket becomes `on_you`. Throws `NOT_FOUND` for other users. */
export function assignTicket(scope: RequestScope, id: string, assignee: string): Promise<Ticket> {
  const userId = canonicalId(assignee);
  return change(scope, id, async (inner, ticket) => {
    const name = await memberName(inner, userId);
    const status = statusAfter('assign', ticket.status);
    if (ticket.assignedToUserId !== userId) {
      ticket.assignedToUserId = userId;
      ticket.assignedToName = name;
      await inner.em.flush();
      const assigned = { assignedToUserId: userId, assignedToName: name };
      await emitEvent(inner, 'ticket.assigned', ticket, { ...eventData({ ...ticket, status }), ...assigned });
    }
    await setStatus(inner, ticket, status);
  });
}

/** Put a ticket on hold, close it or cancel it. Throws `UNPROCESSABLE` for any other change. */
export function changeStatus(scope: RequestScope, id: string, status: Status): Promise<Ticket> {
  return change(
    scope,
    id,
    (inner, ticket) => {
      checkTransition(ticket.status, status);
      return setStatus(inner, ticket, status);
    },
    (ticket) => ticket.status === status,
  );
}

/** Reply to the requester, by mail if an SMTP server is configured. The ticket becomes `on_customer`. */
export function replyToTicket(scope: RequestScope, id: string, text: string): Promise<Ticket> {
  return change(scope, id, async (inner, ticket) => {
    const status = statusAfter('reply', ticket.status);
    const { caller } = scope;
    const message = await addMessage(inner, ticket, 'reply', { id: caller.userId, name: caller.name }, text);
    const { id: replyId, createdAt } = message;
    await mailReply(inner, ticket, message, caller.userId);
    const reply = { id: replyId, authorName: caller.name, excerpt: truncate(text, 280), createdAt };
    await emitEvent(inner, 'ticket.replied', ticket, { ...eventData({ ...ticket, status }), reply });
    await setStatus(inner, ticket, status);
  });
}

/** Add a note that only the team sees. */
export function addTicketNote(scope: RequestScope, id: string, text: string): Promise<Ticket> {
  const { caller } = scope;
  return change(scope, id, async (inner, ticket) => {
    await addMessage(inner, ticket, 'note', { id: caller.userId, name: caller.name }, text);
  });
}

/** Record a reply of the requester, for example by e-mail. */
export function addRequesterReply(scope: RequestScope, id: string, text: string): Promise<Ticket> {
  requireHelpdesk(scope, 'Tickets');
  return recordRequesterReply(scope, id, text);
}

/** Replace the tags of a ticket. Case and order do not matter. */
export function setTicketTags(scope: RequestScope, id: string, tags: readonly string[]): Promise<Ticket> {
  const next = normalTags(tags);
  return change(
    scope,
    id,
    async (_, ticket) => {
      ticket.tags = next;
    },
    (ticket) => isDeepStrictEqual(ticket.tags, next),
  );
}

/** A mail to a ticket, whose text is the reply. */
interface MailedReply {
  /** Names the mail. A ticket stores it once, also when it was sent to several that were merged into it. */
  id: string;
  sender: string;
  senderName: string | null;
}

/**
 * Record a reply of the requester in an organization with the Helpdesk module. The ticket becomes `on_you`, also when it was closed. A
 * reply to a merged ticket goes to the ticket that it was merged into, with the name of the requester who replied. A mail from another
 * address than that of the requester does not change the status, and neither does one to a cancelled ticket.
 */
export async function recordRequesterReply(scope: Scope, id: string, text: string, mail?: MailedReply): Promise<Ticket> {
  const { survivorId, requester, email } = await receiverOf(scope, id);
  const isRequester = !mail || email?.toLowerCase() === mail.sender.toLowerCase();
  try {
    return await changeTicket(
      scope,
      survivorId,
      async (inner, ticket) => {
        const mergedFromId = ticket.id === id.toLowerCase() ? null : id;
        const { sender = '', senderName = null } = mail ?? {};
        const name = isRequester ? (requester ?? 'Visitor') : senderName ? `${senderName} <${sender}>` : sender;
        const keepsStatus = !isRequester || (mail && ticket.status === 'cancelled');
        const status = keepsStatus ? ticket.status : statusAfter('requesterReply', ticket.status);
        const author = { id: null, name, mergedFromId, mailId: mail?.id };
        await addMessage(inner, ticket, isRequester ? 'requester' : 'other', author, text);
        await setStatus(inner, ticket, status);
      },
      async ({ id: ticketId }, inner) =>
        mail !== undefined && (await inner.em.count(TicketMessage, { ticketId, mailId: mail.id })) > 0,
    );
  } catch (error) {
    // The ticket may have been merged before the lock.
    if ((await receiverOf(scope, id)).survivorId === survivorId) throw error;
    return recordRequesterReply(scope, id, text, mail);
  }
}

/**
 * Merge a duplicate into a ticket: the messages and tags move, and an open duplicate becomes `cancelled`. Throws `UNPROCESSABLE` for a ticket and
 * itself, for a ticket that was merged before, and for different requesters when a visitor reads one of the tickets.
 */
export function mergeTicket(scope: RequestScope, id: string, duplicateId: string): Promise<Ticket> {
  requireHelpdesk(scope, 'Tickets');
  if (id.toLowerCase() === duplicateId.toLowerCase()) throw fail('UNPROCESSABLE', 'A ticket cannot be merged into itself.');
  return transaction(scope, async (inner) => {
    // Lock in the order of the ids, so that two merges cannot deadlock.
    const locked = new Map<string, Ticket>();
    for (const each of [id.toLowerCase(), duplicateId.toLowerCase()].sort()) locked.set(each, await lockTicket(inner, each));
    const [ticket, duplicate] = [locked.get(id.toLowerCase())!, locked.get(duplicateId.toLowerCase())!];
    for (const each of [ticket, duplicate]) requireChangeable(each);
    await checkRequesters(inner, ticket, duplicate);
    for (const each of [ticket, duplicate]) await touch(inner, each);
    await query(
      inner.em,
      sql`update agent.ticket_messages set ticket_id = ${ticket.id}, merged_from_id = coalesce(merged_from_id, ticket_id)
           where ticket_id = ${duplicate.id}`,
    );
    const caller = { id: scope.caller.userId, name: scope.caller.name, mergedFromId: duplicate.id };
    await addMessage(
      inner,
      ticket,
      'note',
      caller,
      `Merged ${duplicate.ticketNumber}: ${duplicate.subject}\n\n${duplicate.description}`,
    );
    duplicate.mergedIntoId = ticket.id;
    // The tags of the ticket come first where both together have too many.
    ticket.tags = [...new Set([...ticket.tags, ...duplicate.tags])].slice(0, MAX_TAGS).sort();
    const isOpen = !['closed', 'cancelled'].includes(duplicate.status);
    await setStatus(inner, duplicate, isOpen ? 'cancelled' : duplicate.status);
    await inner.em.flush();
    return ticket;
  });
}

/** Throws `PLAN_REQUIRED` without the Helpdesk module. */
function change(scope: RequestScope, id: string, work: Work, isUnchanged?: IsUnchanged): Promise<Ticket> {
  requireHelpdesk(scope, 'Tickets');
  return changeTicket(scope, id, work, isUnchanged);
}

type Work = (inner: Scope, ticket: Ticket) => Promise<void>;
type IsUnchanged = (ticket: Ticket, inner: Scope) => boolean | Promise<boolean>;

/**
 * Change a locked ticket in one transaction, and record the time of the activity, unless nothing changes. Throws `UNPROCESSABLE` for a
 * ticket that was merged or erased.
 */
function changeTicket(scope: Scope, id: string, work: Work, isUnchanged: IsUnchanged = () => false): Promise<Ticket> {
  return transaction(scope, async (inner) => {
    const ticket = await lockTicket(inner, id);
    requireChangeable(ticket);
    if (await isUnchanged(ticket, inner)) return ticket;
    await touch(inner, ticket);
    await work(inner, ticket);
    await inner.em.flush();
    return ticket;
  });
}

function requireChangeable({ ticketNumber, mergedIntoId, erasedAt }: Ticket): void {
  if (mergedIntoId) throw fail('UNPROCESSABLE', `The ticket ${ticketNumber} was merged into another.`);
  if (erasedAt) throw fail('UNPROCESSABLE', `The requester of the ticket ${ticketNumber} was erased.`);
}

interface Receiver {
  survivorId: string;
  requester?: string | null;
  email?: string | null;
}

/**
 * The requester of a ticket, and the ticket that receives the replies: the one that it was merged into, directly or through others, or
 * itself.
 */
async function receiverOf({ em, organizationId }: Scope, id: string): Promise<Receiver> {
  if (!isId(id)) return { survivorId: id };
  const [receiver] = await query(
    em,
    sql<Receiver>`
      with recursive merged as (
        select id, merged_into_id, coalesce(requester_name, requester_email) as requester, requester_email as email
          from agent.tickets where id = ${id} and organization_id = ${organizationId}
        union all select t.id, t.merged_into_id, m.requester, m.email from merged m join agent.tickets t on t.id = m.merged_into_id
      )
      select id as "survivorId", requester, email from merged where merged_into_id is null`,
  );
  return receiver ?? { survivorId: id };
}

/** Refreshes the ticket, because an earlier mutation of the same request may have read it. */
const lockTicket = ({ em }: Scope, id: string): Promise<Ticket> =>
  findById(em, Ticket, id, 'Ticket', { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });

/** Record an activity of a locked ticket. It precedes the events of the change, so that all transactions take their locks in the same order. */
export async function touch(scope: Scope, ticket: Ticket): Promise<void> {
  ticket.lastActivityAt = await nextRecordTime(scope, 'ticket');
}

/** Set the status of a locked ticket and emit `ticket.status_changed` if it differs. */
export async function setStatus(scope: Scope, ticket: Ticket, status: Status): Promise<void> {
  const previousStatus = ticket.status;
  if (status === previousStatus) return;
  ticket.status = status;
  await scope.em.flush();
  await emitEvent(scope, 'ticket.status_changed', ticket, { ...eventData(ticket), previousStatus });
}

async function addMessage(
  { em, organizationId }: Scope,
  ticket: Ticket,
  kind: EnumValue<'TicketMessageKind'>,
  author: { id: string | null; name: string; mergedFromId?: string | null; mailId?: string },
  text: string,
): Promise<TicketMessage> {
  const message = em.create(TicketMessage, {
    organizationId,
    ticketId: ticket.id,
    kind,
    authorId: author.id,
    authorName: author.name,
    mergedFromId: author.mergedFromId ?? null,
    mailId: author.mailId ?? null,
    text,
  });
  await em.flush();
  return message;
}

const open: readonly Status[] = ['new', 'on_you', 'on_customer', 'on_hold'];

/** The actions on a ticket: the statuses that permit them, and the next status. An assignment changes the status of a new ticket only. */
const actions = {
  assign: { from: open, to: (status: Status): Status => (status === 'new' ? 'on_you' : status) },
  reply: { from: open, to: (): Status => 'on_customer' },
  requesterReply: { from: [...open, 'closed'] as readonly Status[], to: (): Status => 'on_you' },
} as const;

/** The statuses that a teammate sets directly. All others follow from assignments and replies. */
const settable: readonly Status[] = ['on_hold', 'closed', 'cancelled'];

/** The status after an action. Throws `UNPROCESSABLE` if the current status does not permit it. */
function statusAfter(action: keyof typeof actions, status: Status): Status {
  const { from, to } = actions[action];
  if (!from.includes(status)) throw fail('UNPROCESSABLE', `The ticket is ${status}.`);
  return to(status);
}

/** Throws `UNPROCESSABLE` if a teammate may not change the status this way. */
function checkTransition(from: Status, to: Status): void {
  if (from === to) return;
  if (!settable.includes(to) || !open.includes(from))
    throw fail('UNPROCESSABLE', `The status cannot change from ${from} to ${to}.`);
}

/**
 * Throws `UNPROCESSABLE` for tickets of different requesters when a visitor of the widget reads one of them: the visitor would read the
 * messages of the other requester. The e-mail addresses do not count, because a visitor may claim any address.
 */
async function checkRequesters(scope: Scope, ticket: Ticket, other: Ticket): Promise<void> {
  const visitors = await visitorsOf(scope, [ticket, other]);
  if (visitors.size === 0) return;
  if (visitors.size === 2 && new Set(visitors.values()).size === 1) return;
  throw fail(
    'UNPROCESSABLE',
    `${ticket.ticketNumber} and ${other.ticketNumber} may have different requesters, and a chat visitor would read the messages of both.`,
  );
}

/** The visitors of the widget who read these tickets, by id of the ticket. */
async function visitorsOf({ em, organizationId }: Scope, tickets: Ticket[]): Promise<Map<string, string>> {
  const rows = await query(
    em,
    sql<{ id: string; visitor: string }>`
      select t.id, c.agent_id || ' ' || c.visitor_id as visitor
        from agent.tickets t join agent.conversations c on c.id = t.conversation_id and c.channel = 'widget'
       where t.organization_id = ${organizationId} and t.id = any(${tickets.map(({ id }) => id)}::uuid[]) and c.visitor_id is not null`,
  );
  return new Map(rows.map(({ id, visitor }) => [id, visitor]));
}
