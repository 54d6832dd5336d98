import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({ description: 'A support ticket.' })
@Entity({ schema: 'agent', tableName: 'tickets' })
export class Ticket extends Owned {
  @Field(() => String, { description: 'Prefix and number, such as `TKT-1001`. Unique within the organization.' })
  @Property({ type: 'text' })
  ticketNumber!: string;

  @Field(() => String)
  @Property({ type: 'string' })
  subject!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  description!: string;

  @Field(() => enumTypes.TicketStatus)
  @Property({ type: 'string' })
  status: Opt<EnumValue<'TicketStatus'>> = 'new';

  @Field(() => enumTypes.TicketPriority)
  @Property({ type: 'string' })
  priority: Opt<EnumValue<'TicketPriority'>> = 'normal';

  @Field(() => String, { nullable: true })
  @Property({ type: 'string', nullable: true })
  category: string | null = null;

  @Field(() => enumTypes.TicketSource)
  @Property({ type: 'string' })
  source!: EnumValue<'TicketSource'>;

  @Field(() => String, { nullable: true })
  @Property({ type: 'string', nullable: true })
  requesterName: string | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'string', nullable: true })
  requesterEmail: string | null = null;

  @Field(() => ID, { nullable: true, description: 'Null without an e-mail address of the requester.' })
  @Property({ type: 'uuid', nullable: true })
  contactId: string | null = null;

  @Field(() => ID, { nullable: true, description: 'Null for a ticket that did not come from a conversation.' })
  @Property({ type: 'uuid', nullable: true })
  conversationId: string | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  conversationSummary: string | null = null;

  @Field(() => ID, { nullable: true })
  @Property({ type: 'uuid', nullable: true })
  assignedToUserId: string | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  assignedToName: string | null = null;

  @Field(() => ID)
  @Property({ type: 'uuid' })
  agentId!: string;

  @Field(() => String, { description: 'The current name of the agent, or the last name of a deleted one.' })
  @Property({ type: 'text' })
  agentName!: string;

  @Field(() => ID, { nullable: true, description: 'The ticket that this duplicate was merged into.' })
  @Property({ type: 'uuid', nullable: true })
  mergedIntoId: string | null = null;

  @Field(() => Date, {
    nullable: true,
    description: 'When the content was erased with its requester. Only the number and the status remain.',
  })
  @Property({ type: 'datetime', nullable: true })
  erasedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date, { description: 'Time of the latest assignment, status change, reply, note, merge or erasure.' })
  @Property({ type: 'datetime' })
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

  @Field(() => enumTypes.TicketMessageKind)
  @Property({ type: 'string' })
  kind!: EnumValue<'TicketMessageKind'>;

  @Field(() => ID, { nullable: true, description: 'The teammate who wrote it; null for the requester.' })
  @Property({ type: 'uuid', nullable: true })
  authorId: string | null = null;

  @Field(() => String)
  @Property({ type: 'text' })
  authorName!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  text!: string;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}
