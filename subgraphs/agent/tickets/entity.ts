import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

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

  @FieldProperty({ type: 'datetime', description: 'Time of the latest assignment, status change, reply, note, merge or erasure.' })
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

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}
