import { ObjectType } from 'type-graphql';
import { field, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({ description: 'A mail that was sent or is about to be sent.' })
export class OutgoingMail extends output({
  recipient: field(String, 'The address.'),
  status: field(enumTypes.MailStatus),
  lastError: field(String, { nullable: true, description: 'Why the latest attempt failed; null if it succeeded.' }),
  sentAt: field(Date, { nullable: true, description: 'When the mail server accepted it.' }),
}) {}

@ObjectType({ description: 'The parts of mail that the operator of the service has set up.' })
export class MailChannel extends output({
  sends: field(Boolean, 'Whether replies to tickets, transcripts and invitations are mailed.'),
  receives: field(Boolean, 'Whether replies to the mails of a ticket become messages of the ticket.'),
}) {}
