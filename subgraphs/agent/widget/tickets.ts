import { type Bind, query, type Rows, readRows, sql } from '../../../platform/database/index.ts';
import { type RequestScope, type Scope, visiting } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { Agent } from '../agents/entity.ts';
import { countMessage, embeddedAgent, visitorIdOf } from '../chat/sender.ts';
import { modulesOf } from '../organizations/resolver.ts';
import { recordRequesterReply } from '../tickets/changes.ts';
import { Ticket, TicketMessage } from '../tickets/entity.ts';
import { teamName } from '../visitor-text.ts';
import type { WidgetReply, WidgetTicket, WidgetTicketMessage } from './types.ts';

/** Tickets of a visitor, and messages of each, in one list: the newest. */
const [MAX_TICKETS, MAX_MESSAGES] = [20, 50];

const COLUMNS = ['id', 'ticketNumber', 'subject', 'status', 'createdAt', 'lastActivityAt'] as const;

/** The tickets from conversations of a visitor, newest first, with the replies of both sides. Notes of the team stay private. */
export async function listWidgetTickets(
  scope: RequestScope,
  publicSlug: string,
  visitorId: string | null | undefined,
): Promise<WidgetTicket[]> {
  const agent = await embeddedAgent(scope, publicSlug);
  const within = visiting(scope, agent.organizationId);
  const tickets = await findTickets(within, agent, await visitorIdOf(scope, agent, visitorId));
  if (tickets.length === 0) return [];
  const matching = (bind: Bind) => `r.id in (select m.id from unnest(${bind(tickets.map(({ id }) => id))}::uuid[]) t (id)
    cross join lateral (select id from agent.ticket_messages where ticket_id = t.id and kind in ('reply', 'requester')
      order by created_at desc, id desc limit ${MAX_MESSAGES}) m)`;
  const messages = await readMessages(within, { matching });
  const byTicket = Map.groupBy(messages, ({ ticketId }) => ticketId);
  return tickets.map((ticket) => ({ ...ticket, messages: (byTicket.get(ticket.id) ?? []).map(toMessage) }));
}

/**
 * Record a reply of a visitor on an own ticket; the ticket becomes `on_you`, also when it was closed. Counts against the limits of chat
 * messages. Throws `NOT_FOUND` for a ticket of others, and `FORBIDDEN` without the Helpdesk module.
 */
export async function replyToTicket(
  scope: RequestScope,
  publicSlug: string,
  { visitorId, ticketNumber, text }: WidgetReply,
): Promise<WidgetTicket> {
  const agent = await embeddedAgent(scope, publicSlug);
  const within = visiting(scope, agent.organizationId);
  if (!(await modulesOf(within)).includes('helpdesk')) throw fail('FORBIDDEN', 'Tickets are not enabled for this agent.');
  const visitor = await visitorIdOf(scope, agent, visitorId);
  await countMessage(scope, agent, visitor);
  const [own] = await findTickets(within, agent, visitor, ticketNumber);
  if (!own) throw fail('NOT_FOUND', 'Ticket not found');
  const { messageIds, ...ticket } = await scope.writeWithin(within, [agent.id, visitor], async (inner) => {
    await recordRequesterReply(inner, own.id, text);
    return stateOf(inner, own.id);
  });
  const messages = await readMessages(within, { where: { id: messageIds } });
  return { ...ticket, messages: messages.map(toMessage) };
}

/** The ticket after a reply, with the ids of its messages instead of their texts, because a repeated request returns it again. */
async function stateOf({ em }: Scope, id: string) {
  const { ticketNumber, subject, status, createdAt, lastActivityAt } = await em.findOneOrFail(Ticket, id, { refresh: true });
  const newest = await query(
    em,
    sql<{ id: string }>`select id from agent.ticket_messages where ticket_id = ${id} and kind in ('reply', 'requester')
      order by created_at desc, id desc limit ${MAX_MESSAGES}`,
  );
  return { id, ticketNumber, subject, status, createdAt, lastActivityAt, messageIds: newest.map((each) => each.id) };
}

const readMessages = (scope: Scope, rows: Pick<Rows<TicketMessage>, 'where' | 'matching'>): Promise<TicketMessage[]> =>
  readRows(scope, TicketMessage, { ...rows, orderBy: { createdAt: 'asc', id: 'asc' } });

const findTickets = (scope: Scope, agent: Agent, visitorId: string, ticketNumber?: string): Promise<Ticket[]> =>
  readRows(
    scope,
    Ticket,
    {
      columns: COLUMNS,
      where: ticketNumber === undefined ? {} : { ticketNumber },
      matching: (bind) => `r.conversation_id in (select c.id from agent.conversations c
        where c.agent_id = ${bind(agent.id)} and c.visitor_id = ${bind(visitorId)} and c.channel = 'widget')`,
      orderBy: { createdAt: 'desc', id: 'desc' },
    },
    { limit: MAX_TICKETS, offset: 0 },
  );

function toMessage({ id, kind, authorName, text, createdAt }: TicketMessage): WidgetTicketMessage {
  const isFromTeam = kind !== 'requester';
  return { id, authorName: isFromTeam ? teamName(authorName) : authorName, text, createdAt, isFromTeam };
}
