import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, ID, InputType, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { args, field, input } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { NOT_BLANK, ONE_LINE } from '../../../schema/text.ts';
import { RecentArguments } from '../recent-arguments.ts';

@ObjectType({ description: 'A support ticket.' })
@Entity({ schema: 'agent', tableName: 'tickets' })
export class Ticket extends Owned {
  @FieldProperty({ type: 'text', description: 'Prefix and number, such as `TKT-1001`. Unique within the organization.' })
  ticketNumber!: string;

  @FieldProperty({ type: 'string' })
  subject!: string;

  @FieldProperty({ type: 'text' })
  description!: string;

  @FieldProperty(() => enumTypes.TicketStatus, { type: 'string' })
  status: Opt<EnumValue<'TicketStatus'>> = 'new';

  @FieldProperty(() => enumTypes.TicketPriority, { type: 'string' })
  priority: Opt<EnumValue<'TicketPriority'>> = 'normal';

  @FieldProperty({ type: 'string', nullable: true })
  category: string | null = null;

  @FieldProperty(() => enumTypes.TicketSource, { type: 'string' })
  source!: EnumValue<'TicketSource'>;

  @FieldProperty({ type: 'string', nullable: true })
  requesterName: string | null = null;

  @FieldProperty({ type: 'string', nullable: true })
  requesterEmail: string | null = null;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'Null without an e-mail address of the requester.' })
  contactId: string | null = null;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'Null for a ticket that did not come from a conversation.' })
  conversationId: string | null = null;

  @FieldProperty({ type: 'text', nullable: true })
  conversationSummary: string | null = null;

  @FieldProperty({ type: 'uuid', nullable: true })
  assignedToUserId: string | null = null;

  @FieldProperty({ type: 'text', nullable: true })
  assignedToName: string | null = null;

  @FieldProperty({ type: 'array', description: 'Words of the team for this ticket, in lower case and sorted.' })
  tags: Opt<string[]> = [];

  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'text', description: 'The current name of the agent, or the last name of a deleted one.' })
  agentName!: string;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The ticket that this duplicate was merged into.' })
  mergedIntoId: string | null = null;

  @FieldProperty({
    type: 'datetime',
    nullable: true,
    description: 'When the content was erased with its requester. Only the number and the status remain.',
  })
  erasedAt: Date | null = null;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({
    type: 'datetime',
    description: 'Time of the latest assignment, change of status or tags, reply, note, merge or erasure.',
  })
  lastActivityAt: Opt<Date> = clock.now();
}

@ObjectType({ description: 'A reply or note on a ticket.' })
@Entity({ schema: 'agent', tableName: 'ticket_messages' })
export class TicketMessage extends Owned {
  @Property({ type: 'uuid' })
  ticketId!: string;

  /** The merged ticket whose message it is. */
  @Property({ type: 'uuid', nullable: true, lazy: true })
  mergedFromId: string | null = null;

  @FieldProperty(() => enumTypes.TicketMessageKind, { type: 'string' })
  kind!: EnumValue<'TicketMessageKind'>;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The teammate who wrote it; null for the requester.' })
  authorId: string | null = null;

  @FieldProperty({ type: 'text' })
  authorName!: string;

  @FieldProperty({ type: 'text' })
  text!: string;

  /** The Message-ID of the mail that it came with. */
  @Property({ type: 'string', length: 500, nullable: true, lazy: true })
  mailId: string | null = null;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ArgsType()
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

@ArgsType()
export class TicketFromConversation extends args({
  conversationId: field(ID),
  subject: field(String, { minLength: 1, maxLength: 255, pattern: ONE_LINE }),
  description: field(String, { maxLength: 20_000, nullable: true, description: 'Default: the subject.' }),
}) {}

@ArgsType()
export class TicketMessageArguments extends args({
  id: field(ID),
  text: field(String, { minLength: 1, maxLength: 20_000, pattern: NOT_BLANK }),
}) {}

@ArgsType()
export class TicketMessagesArguments extends pageArguments(50) {}

@ObjectType({ description: 'One page of ticket messages.' })
export class TicketMessagePage extends PageOf(TicketMessage, 'TicketMessagePage') {}
