import { findById, query, sql } from '../../../platform/database/index.ts';
import { requireHelpdesk } from '../../../platform/identity/index.ts';
import { childPage, type PageRequest } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { truncate } from '../../../schema/text.ts';
import { emitEvent } from '../agent-events.ts';
import { findAgent } from '../agents/service.ts';
import { contactForRecord, lockForRecord, setContact } from '../contacts/service.ts';
import { Conversation } from '../conversations/entity.ts';
import { nextRecordTime, readRecent } from '../recent-list.ts';
import { hasTag } from '../teamwork/tags.ts';
import { emailOrNull, textOrNull } from '../visitor-text.ts';
import { eventData } from './changes.ts';
import type { NewTicket, TicketFromConversation, TicketsArguments } from './entity.ts';
import { Ticket, TicketMessage } from './entity.ts';

const FIRST_NUMBER = 1_001;
const PREFIX = 'TKT';

const COLUMNS = [
  'id',
  'ticketNumber',
  'subject',
  'description',
  'status',
  'priority',
  'category',
  'source',
  'requesterName',
  'requesterEmail',
  'contactId',
  'conversationId',
  'conversationSummary',
  'assignedToUserId',
  'assignedToName',
  'tags',
  'agentId',
  'agentName',
  'mergedIntoId',
  'erasedAt',
  'createdAt',
  'lastActivityAt',
] as const;

/** The newest tickets, or those with the latest activity. */
export const listTickets = (
  scope: Scope,
  { status, email, ticketNumber, tag, sort, ...recent }: TicketsArguments,
): Promise<Ticket[]> =>
  readRecent<Ticket>(
    scope,
    Ticket,
    {
      columns: COLUMNS,
      time: sort === 'activity' ? 'last_activity_at' : 'created_at',
      where: { ...(status && { status }), ...(ticketNumber && { ticketNumber }) },
      conditions: (bind) => [
        ...(email ? [`lower(r.requester_email) = lower(${bind(email.trim())})`] : []),
        ...(tag ? [hasTag(tag)(bind)] : []),
      ],
    },
    recent,
  );

/** Throws `NOT_FOUND`. */
export const findTicket = ({ em }: Scope, id: string): Promise<Ticket> => findById(em, Ticket, id, 'Ticket');

/** Create a ticket with the source `api`. Throws `PLAN_REQUIRED` without the Helpdesk module, and `NOT_FOUND` for an unknown agent. */
export function createTicket(scope: RequestScope, input: NewTicket): Promise<Ticket> {
  requireHelpdesk(scope, 'Tickets');
  return scope.write((inner) => insertTicket(inner, { ...input, source: 'api' }));
}

/**
 * Create a ticket about a conversation, whose contact is the requester. Throws `PLAN_REQUIRED` without the Helpdesk module, and `NOT_FOUND`
 * for an unknown conversation.
 */
export function createFromConversation(
  scope: RequestScope,
  { conversationId, subject, description }: TicketFromConversation,
): Promise<Ticket> {
  requireHelpdesk(scope, 'Tickets');
  return transaction(scope, async (inner) => {
    const { id, agentId, summary } = await findById(inner.em, Conversation, conversationId, 'Conversation');
    await lockForRecord(inner, id);
    const [contact] = await query(
      inner.em,
      sql<{ email: string | null; name: string | null }>`
        select n.email, n.name from agent.conversations c join agent.contacts n on n.id = c.contact_id
         where c.id = ${id} and c.organization_id = ${inner.organizationId}`,
    );
    const requester = { requesterEmail: contact?.email, requesterName: contact?.name };
    return insertTicket(inner, {
      agentId,
      subject,
      description,
      ...requester,
      source: 'api',
      conversationId: id,
      conversationSummary: summary,
    });
  });
}

interface TicketRecord extends NewTicket {
  source: Ticket['source'];
  conversationId?: string | null;
  conversationSummary?: string | null;
}

/** The only place that writes tickets, so every ticket has its event. Runs in the transaction of the scope. */
export async function insertTicket(scope: Scope, input: TicketRecord): Promise<Ticket> {
  const [subject, description] = [textOrNull(input.subject), textOrNull(input.description)];
  if (!subject && !description) throw fail('INVALID_INPUT', 'subject or description is required');
  const requesterEmail = emailOrNull(input.requesterEmail, 'requesterEmail');
  const requesterName = textOrNull(input.requesterName);
  const agent = await findAgent(scope, input.agentId);
  const contactId = await contactForRecord(scope, input.conversationId, { email: requesterEmail, name: requesterName }, true);
  if (input.conversationId) await setContact(scope, input.conversationId, contactId);
  const ticketNumber = `${PREFIX}-${await nextNumber(scope)}`;
  const createdAt = await nextRecordTime(scope, 'ticket');
  const ticket = scope.em.create(Ticket, {
    organizationId: scope.organizationId,
    ticketNumber,
    subject: subject ?? firstLine(description!),
    description: description ?? subject!,
    priority: input.priority ?? 'normal',
    category: textOrNull(input.category),
    source: input.source,
    requesterName,
    requesterEmail,
    contactId,
    conversationId: input.conversationId ?? null,
    conversationSummary: input.conversationSummary ?? null,
    agentId: agent.id,
    agentName: agent.name,
    createdAt,
    lastActivityAt: createdAt,
  });
  await scope.em.flush();
  await emitEvent(scope, 'ticket.created', ticket, eventData(ticket));
  return ticket;
}

/** The row lock lasts until the commit, so numbers have no gaps and no duplicates. */
async function nextNumber({ em, organizationId }: Scope): Promise<string> {
  const [row] = await query(
    em,
    sql<{ last: string }>`
      insert into agent.ticket_numbers as n (organization_id, last) values (${organizationId}, ${FIRST_NUMBER})
      on conflict (organization_id) do update set last = n.last + 1 returning last`,
  );
  return row!.last;
}

const firstLine = (text: string) => truncate(text.split('\n', 1)[0]!.trimEnd(), 255);

/** The messages of a ticket, oldest first. Batches a list into one query. */
export const listMessages = (scope: RequestScope, ticketId: string, page: PageRequest) =>
  childPage(scope, ticketId, TicketMessage, { of: 'ticketId' }, { orderBy: { createdAt: 'asc', id: 'asc' } }, page);
