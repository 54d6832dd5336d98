import { Field, ObjectType } from 'type-graphql';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({ description: 'A mail that was sent or is about to be sent.' })
export class OutgoingMail {
  @Field(() => String, { description: 'The address.' })
  recipient!: string;

  @Field(() => enumTypes.MailStatus)
  status!: EnumValue<'MailStatus'>;

  @Field(() => String, { nullable: true, description: 'Why the latest attempt failed; null if it succeeded.' })
  lastError!: string | null;

  @Field(() => Date, { nullable: true, description: 'When the mail server accepted it.' })
  sentAt!: Date | null;
}

@ObjectType({ description: 'The parts of mail that the operator of the service has set up.' })
export class MailChannel {
  @Field(() => Boolean, { description: 'Whether replies to tickets, transcripts and invitations are mailed.' })
  sends!: boolean;

  @Field(() => Boolean, { description: 'Whether replies to the mails of a ticket become messages of the ticket.' })
  receives!: boolean;
}
