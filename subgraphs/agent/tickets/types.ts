import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { NOT_BLANK } from '../../../schema/text.ts';
import { RecentArguments } from '../recent-list.ts';
import { TicketMessage } from './entity.ts';

@ArgsType()
export class TicketsArguments extends RecentArguments {
  @Field(() => enumTypes.TicketStatus, { nullable: true })
  status?: EnumValue<'TicketStatus'> | null;

  @Limited({ maxLength: 320 })
  @Field(() => String, { nullable: true, description: 'The exact e-mail address of the requester, ignoring case.' })
  email?: string | null;

  @Limited({ maxLength: 64 })
  @Field(() => String, { nullable: true })
  ticketNumber?: string | null;

  @Limited({ maxLength: 64 })
  @Field(() => String, {
    nullable: true,
    description:
      '`activity` sorts by `lastActivityAt`, to which `since` and `before` then apply. Any other value sorts by `createdAt`.',
  })
  sort?: string | null;
}

@InputType({ description: 'A ticket to create.' })
export class NewTicket {
  @Field(() => ID)
  agentId!: string;

  @Limited({ maxLength: 255 })
  @Field(() => String, { nullable: true, description: 'Default: the first line of the description.' })
  subject?: string | null;

  @Limited({ maxLength: 20_000 })
  @Field(() => String, { nullable: true, description: 'Default: the subject.' })
  description?: string | null;

  @Limited({ maxLength: 320 })
  @Field(() => String, { nullable: true, description: 'Selects the contact, ignoring case.' })
  requesterEmail?: string | null;

  @Limited({ maxLength: 255 })
  @Field(() => String, { nullable: true })
  requesterName?: string | null;

  @Field(() => enumTypes.TicketPriority, { nullable: true, description: 'Default: `normal`.' })
  priority?: EnumValue<'TicketPriority'> | null;

  @Limited({ maxLength: 64 })
  @Field(() => String, { nullable: true })
  category?: string | null;
}

@ArgsType()
export class TicketMessageArguments {
  @Field(() => ID)
  id!: string;

  @Limited({ minLength: 1, maxLength: 20_000, pattern: NOT_BLANK })
  @Field(() => String)
  text!: string;
}

@ArgsType()
export class TicketMessagesArguments extends pageArguments(50) {}

@ObjectType({ description: 'One page of ticket messages.' })
export class TicketMessagePage extends PageOf(TicketMessage, 'TicketMessagePage') {}
