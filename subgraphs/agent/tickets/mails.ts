import { enqueueMail, mailsOf, replyAddressOf } from '../../../platform/mail/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { type OutgoingMail, wordsFor } from '../mails/entity.ts';
import type { Ticket, TicketMessage } from './entity.ts';

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
