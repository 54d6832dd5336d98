import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { findById, query, sql } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access, requireHelpdesk } from '../../../platform/identity/index.ts';
import { childPage, type PageRequest } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { truncate } from '../../../schema/text.ts';
import { emitEvent } from '../agent-events.ts';
import { findAgent } from '../agents/service.ts';
import { Contact } from '../contacts/entity.ts';
import { contactForRecord, contactOf, lockForRecord, setContact } from '../contacts/service.ts';
import { Conversation } from '../conversations/entity.ts';
import { RecentList } from '../recent-arguments.ts';
import { agentNameOf, nextRecordTime, readRecent } from '../recent-list.ts';
import { hasTag, TagsArguments } from '../teamwork/tags.ts';
import { emailOrNull, textOrNull } from '../visitor-text.ts';
import * as changes from './changes.ts';
import { eventData } from './changes.ts';
import {
  NewTicket,
  Ticket,
  TicketFromConversation,
  TicketMessage,
  TicketMessageArguments,
  TicketMessagePage,
  TicketMessagesArguments,
  TicketsArguments,
} from './entity.ts';

@Access('member')
@Resolver(() => Ticket)
export class TicketResolver {
  /** The newest tickets, or those with the latest activity. */
  @RecentList()
  @Query(() => [Ticket], { description: 'The tickets of the organization, newest first.' })
  tickets(
    @Ctx() scope: RequestScope,
    @Args(() => TicketsArguments) { status, email, ticketNumber, tag, sort, ...recent }: TicketsArguments,
  ): Promise<Ticket[]> {
    return readRecent<Ticket>(
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
  }

  /** Throws `NOT_FOUND`. */
  @Query(() => Ticket, { nullable: true, description: 'One ticket by id.' })
  ticket(@Ctx() { em }: RequestScope, @Id() id: string): Promise<Ticket> {
    return findById(em, Ticket, id, 'Ticket');
  }

  /** Create a ticket with the source `api`. Throws `PLAN_REQUIRED` without the Helpdesk module, and `NOT_FOUND` for an unknown agent. */
  @Idempotent()
  @Mutation(() => Ticket, { description: 'Create a ticket and emit `ticket.created`. Requires the Helpdesk module.' })
  createTicket(@Ctx() scope: RequestScope, @Arg('input', () => NewTicket) input: NewTicket): Promise<Ticket> {
    requireHelpdesk(scope, 'Tickets');
    return scope.write((inner) => insertTicket(inner, { ...input, source: 'api' }));
  }

  @Idempotent()
  @Mutation(() => Ticket, {
    description: 'Create a ticket about a conversation, whose contact is the requester. Requires the Helpdesk module.',
  })
  createTicketFromConversation(
    @Ctx() scope: RequestScope,
    @Args(() => TicketFromConversation) { conversationId, subject, description }: TicketFromConversation,
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

  @Mutation(() => Ticket, { description: 'Assign a ticket to a member and emit `ticket.assigned`. A new ticket becomes `on_you`.' })
  assignTicket(@Ctx() scope: RequestScope, @Id() id: string, @Id('userId') userId: string) {
    return changes.assignTicket(scope, id, userId);
  }

  @Mutation(() => Ticket, {
    description: 'Set the status of an open ticket to `on_hold`, `closed` or `cancelled`, and emit `ticket.status_changed`.',
  })
  setTicketStatus(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('status', () => enumTypes.TicketStatus) status: EnumValue<'TicketStatus'>,
  ) {
    return changes.changeStatus(scope, id, status);
  }

  @Idempotent()
  @Mutation(() => Ticket, { description: 'Reply to the requester and emit `ticket.replied`. The ticket becomes `on_customer`.' })
  replyToTicket(@Ctx() scope: RequestScope, @Args(() => TicketMessageArguments) { id, text }: TicketMessageArguments) {
    return changes.replyToTicket(scope, id, text);
  }

  @Idempotent()
  @Mutation(() => Ticket, {
    description: 'Record a reply of the requester, for example by e-mail. The ticket becomes `on_you`, also when it was closed.',
  })
  addRequesterReply(@Ctx() scope: RequestScope, @Args(() => TicketMessageArguments) { id, text }: TicketMessageArguments) {
    return changes.addRequesterReply(scope, id, text);
  }

  @Idempotent()
  @Mutation(() => Ticket, { description: 'Add a note that only the team sees.' })
  addTicketNote(@Ctx() scope: RequestScope, @Args(() => TicketMessageArguments) { id, text }: TicketMessageArguments) {
    return changes.addTicketNote(scope, id, text);
  }

  @Mutation(() => Ticket, { description: 'Replace the tags of a ticket. The requester does not see them.' })
  setTicketTags(@Ctx() scope: RequestScope, @Args(() => TagsArguments) { id, tags }: TagsArguments) {
    return changes.setTicketTags(scope, id, tags);
  }

  @Mutation(() => Ticket, {
    description:
      'Merge a duplicate into a ticket. Its messages move, and an open duplicate becomes `cancelled`. Fails for different requesters when a chat visitor reads one of the tickets.',
  })
  mergeTicket(@Ctx() scope: RequestScope, @Id() id: string, @Id('duplicateId') duplicateId: string) {
    return changes.mergeTicket(scope, id, duplicateId);
  }

  @FieldResolver(() => String)
  agentName(@Ctx() scope: RequestScope, @Root() record: Ticket) {
    return agentNameOf(scope, record);
  }

  @FieldResolver(() => Contact, { nullable: true })
  contact(@Ctx() scope: RequestScope, @Root() { contactId }: Ticket) {
    return contactOf(scope, contactId);
  }

  @FieldResolver(() => TicketMessagePage, { description: 'Replies and notes, oldest first.' })
  messages(@Ctx() scope: RequestScope, @Root() { id }: Ticket, @Args(() => TicketMessagesArguments) page: TicketMessagesArguments) {
    return listMessages(scope, id, page);
  }
}

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
const listMessages = (scope: RequestScope, ticketId: string, page: PageRequest) =>
  childPage(scope, ticketId, TicketMessage, { of: 'ticketId' }, { orderBy: { createdAt: 'asc', id: 'asc' } }, page);
