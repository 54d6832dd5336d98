import { ID, InputType, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { args, field, input } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { enqueueMail, mailsOf, replyAddressOf } from '../../../platform/mail/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { NOT_BLANK, ONE_LINE } from '../../../schema/text.ts';
import { type OutgoingMail, wordsFor } from '../mails/entity.ts';
import { RecentArguments } from '../recent-arguments.ts';

@ObjectType({ description: 'A support ticket.' })
@Table('agent.tickets')
export class Ticket extends columns(Owned, {
  ticketNumber: column('text', 'Prefix and number, such as `TKT-1001`. Unique within the organization.'),
  subject: column('string'),
  description: column('text'),
  status: column(enumTypes.TicketStatus, { initial: 'new' }),
  priority: column(enumTypes.TicketPriority, { initial: 'normal' }),
  category: column('string', { nullable: true }),
  source: column(enumTypes.TicketSource),
  requesterName: column('string', { nullable: true }),
  requesterEmail: column('string', { nullable: true }),
  contactId: column('uuid', { nullable: true, description: 'Null without an e-mail address of the requester.' }),
  conversationId: column('uuid', { nullable: true, description: 'Null for a ticket that did not come from a conversation.' }),
  conversationSummary: column('text', { nullable: true }),
  assignedToUserId: column('uuid', { nullable: true }),
  assignedToName: column('text', { nullable: true }),
  tags: column('array', { initial: [], description: 'Words of the team for this ticket, in lower case and sorted.' }),
  agentId: column('uuid'),
  agentName: column('text', 'The current name of the agent, or the last name of a deleted one.'),
  mergedIntoId: column('uuid', { nullable: true, description: 'The ticket that this duplicate was merged into.' }),
  erasedAt: column('datetime', {
    nullable: true,
    description: 'When the content was erased with its requester. Only the number and the status remain.',
  }),
  createdAt: column('datetime', { initial: clock.now }),
  lastActivityAt: column('datetime', {
    initial: clock.now,
    description: 'Time of the latest assignment, change of status or tags, reply, note, merge or erasure.',
  }),
}) {}

@ObjectType({ description: 'A reply or note on a ticket.' })
@Table('agent.ticket_messages')
export class TicketMessage extends columns(Owned, {
  ticketId: hidden('uuid'),
  /** The merged ticket whose message it is. */
  mergedFromId: hidden('uuid', { nullable: true, lazy: true }),
  kind: column(enumTypes.TicketMessageKind),
  authorId: column('uuid', { nullable: true, description: 'The teammate who wrote it; null for the requester.' }),
  authorName: column('text'),
  text: column('text'),
  /** The Message-ID of the mail that it came with. */
  mailId: hidden('string', { nullable: true, length: 500, lazy: true }),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

export class TicketsArguments extends args(RecentArguments, {
  status: field(enumTypes.TicketStatus, { nullable: true }),
  email: field(String, {
    maxLength: 320,
    nullable: true,
    description: 'The exact e-mail address of the requester, ignoring case.',
  }),
  ticketNumber: field(String, { maxLength: 64, nullable: true }),
  tag: field(String, { maxLength: 40, nullable: true, description: 'Only tickets with this tag.' }),
  sort: field(String, {
    maxLength: 64,
    nullable: true,
    description:
      '`activity` sorts by `lastActivityAt`, to which `since` and `before` then apply. Any other value sorts by `createdAt`.',
  }),
}) {}

@InputType({ description: 'A ticket to create.' })
export class NewTicket extends input({
  agentId: field(ID),
  subject: field(String, { maxLength: 255, nullable: true, description: 'Default: the first line of the description.' }),
  description: field(String, { maxLength: 20_000, nullable: true, description: 'Default: the subject.' }),
  requesterEmail: field(String, { maxLength: 320, nullable: true, description: 'Selects the contact, ignoring case.' }),
  requesterName: field(String, { maxLength: 255, nullable: true }),
  priority: field(enumTypes.TicketPriority, { nullable: true, description: 'Default: `normal`.' }),
  category: field(String, { maxLength: 64, nullable: true }),
}) {}

export class TicketFromConversation extends args({
  conversationId: field(ID),
  subject: field(String, { minLength: 1, maxLength: 255, pattern: ONE_LINE }),
  description: field(String, { maxLength: 20_000, nullable: true, description: 'Default: the subject.' }),
}) {}

export class TicketMessageArguments extends args({
  id: field(ID),
  text: field(String, { minLength: 1, maxLength: 20_000, pattern: NOT_BLANK }),
}) {}

export class TicketMessagesArguments extends pageArguments(50) {}

@ObjectType({ description: 'One page of ticket messages.' })
export class TicketMessagePage extends PageOf(TicketMessage, 'TicketMessagePage') {}

/** Mail a reply of the team to the requester, in the transaction of the reply. Replies to the mail come back to the ticket. */
export async function mailReply(scope: Scope, ticket: Ticket, { id, text }: TicketMessage, userId: string): Promise<void> {
  const { requesterEmail, ticketNumber, subject, description } = ticket;
  if (!requesterEmail) return;
  const replyTo = replyAddressOf(scope.services, scope.organizationId, ticket.id);
  const foot = replyTo ? `${ticketNumber} · ${wordsFor(text, description).canReply}` : ticketNumber;
  await enqueueMail(scope, {
    kind: 'ticket_reply',
    recordId: ticket.id,
    sourceId: id,
    recipient: requesterEmail,
    userId,
    subject: `[${ticketNumber}] ${subject}`,
    // The line marks a signature, which mail programs and parsers of replies leave out.
    text: `${text}\n\n-- \n${foot}`,
    replyTo,
  });
}

/** The mail of a reply; null if none was sent. Batches a list into one query. */
export const mailOf = (scope: RequestScope, { id, kind }: TicketMessage): Promise<OutgoingMail | null> | null =>
  kind === 'reply' ? scope.batch('mails', (ids) => mailsOf(scope, ids))(id) : null;
