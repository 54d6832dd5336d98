import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { Limited } from '../../../platform/input/index.ts';
import { ListSize, PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Approval } from '../approvals/entity.ts';
import { NewVisitor } from '../chat/types.ts';

@ObjectType({
  description: 'The handoff of a conversation from an agent to a person. A conversation has at most one that is open.',
})
@Entity({ schema: 'agent', tableName: 'handoffs' })
export class Handoff extends Owned {
  @Property({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'uuid' })
  conversationId!: string;

  @FieldProperty(() => enumTypes.HandoffStatus, { type: 'string' })
  status!: EnumValue<'HandoffStatus'>;

  @FieldProperty(() => enumTypes.HandoffParty, { type: 'string' })
  requestedBy!: EnumValue<'HandoffParty'>;

  @FieldProperty({ type: 'text', nullable: true, description: 'Why a person is needed, as the agent or the visitor wrote it.' })
  reason: string | null = null;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The user who has or had the conversation.' })
  operatorId: string | null = null;

  @FieldProperty({ type: 'text', nullable: true, description: 'The name that the visitor sees.' })
  operatorName: string | null = null;

  /** The version of the agent that wrote the last reply; the database finds that of a reply that has ended. */
  @Property({ type: 'integer', nullable: true })
  version: number | null = null;

  @FieldProperty({
    type: 'datetime',
    nullable: true,
    description: 'The next opening, if the request came outside of the office hours of the agent; null otherwise.',
  })
  awayUntil: Date | null = null;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', nullable: true, description: 'When a person first took the conversation over.' })
  takenAt: Date | null = null;

  @FieldProperty({ type: 'datetime', nullable: true })
  endedAt: Date | null = null;

  @FieldProperty(() => enumTypes.HandoffParty, {
    type: 'string',
    nullable: true,
    description: 'Null while it is open, and when it ended because nobody was active.',
  })
  endedBy: EnumValue<'HandoffParty'> | null = null;
}

/** Description of the argument `after` of the events of a conversation. */
export const AFTER = 'The last `sequence` that the client received. Without it, the subscription starts with the first event.';

@ObjectType({ description: 'A message of a conversation, as both sides of a handoff see it.' })
export class HandoffMessage {
  @Field(() => ID)
  id!: string;

  @Field(() => Int, { description: 'Increases with each message of the conversation.' })
  position!: number;

  @Field(() => enumTypes.MessageRole)
  role!: EnumValue<'MessageRole'>;

  @Field(() => String)
  text!: string;

  @Field(() => String, { nullable: true, description: 'The name of the operator who wrote it.' })
  authorName!: string | null;

  @Field(() => Date)
  createdAt!: Date;
}

@ObjectType({ description: 'One change of a conversation that was handed to people.' })
export class HandoffEvent {
  @Field(() => Int, { description: 'Increases with each event of the conversation. Numbers may be skipped.' })
  sequence!: number;

  @Field(() => enumTypes.HandoffEventType)
  type!: EnumValue<'HandoffEventType'>;

  @Field(() => enumTypes.HandoffStatus, { description: 'The status of the handoff after the event.' })
  status!: EnumValue<'HandoffStatus'>;

  @Field(() => enumTypes.HandoffParty, { description: 'The party that caused the event.' })
  party!: EnumValue<'HandoffParty'>;

  @Field(() => String, { nullable: true, description: 'The name of the operator who has the conversation.' })
  operatorName!: string | null;

  @Field(() => HandoffMessage, { nullable: true, description: 'Set for the type `message`.' })
  message!: HandoffMessage | null;

  @Field(() => Int, { nullable: true, description: 'Position of the last message that `party` has seen. Set for the type `seen`.' })
  seenTo!: number | null;

  @Field(() => Date)
  createdAt!: Date;
}

@ObjectType({ description: 'The open handoffs of an organization.' })
export class HandoffQueue {
  @Field(() => Int, { description: 'Number of visitors who wait for a person.' })
  waiting!: number;

  @Field(() => Int, { description: 'Number of conversations that a person has.' })
  active!: number;

  @ListSize(100)
  @Field(() => [Handoff], { description: 'The open handoffs, waiting ones first and each oldest first; at most 100.' })
  handoffs!: Handoff[];

  @ListSize(100)
  @Field(() => [Approval], {
    description: 'The calls of tools that wait for the approval of an operator, oldest first; at most 100.',
  })
  approvals!: Approval[];
}

@ArgsType()
export class HandoffsArguments extends pageArguments(50) {
  @Field(() => enumTypes.HandoffStatus, { nullable: true })
  status?: EnumValue<'HandoffStatus'> | null;

  @Field(() => ID, { nullable: true, description: 'Only handoffs of this agent.' })
  agentId?: string | null;
}

@ObjectType({ description: 'One page of handoffs.' })
export class HandoffPage extends PageOf(Handoff, 'HandoffPage') {}

@ArgsType()
export class VisitorMessageArguments {
  @Limited({ minLength: 1, maxLength: 20_000, pattern: /\S/ })
  @Field(() => String)
  text!: string;

  @Limited({ maxLength: 128 })
  @Field(() => String, {
    nullable: true,
    description: 'An id that the client chose. A message with the same id is a retry and is stored once.',
  })
  clientId?: string | null;
}

@ArgsType()
export class OperatorMessageArguments extends VisitorMessageArguments {
  @Field(() => ID, { description: 'The handoff.' })
  id!: string;
}

@ArgsType()
export class SeenArguments {
  @Limited({ min: 1 })
  @Field(() => Int, { description: 'Position of the last message that was shown.' })
  position!: number;
}

@ArgsType()
export class OperatorSeenArguments extends SeenArguments {
  @Field(() => ID, { description: 'The handoff.' })
  id!: string;
}

@ArgsType()
export class HandoffRequest extends NewVisitor {
  @Field(() => ID, { nullable: true, description: 'Default: the newest conversation of the visitor, or a new one.' })
  conversationId?: string | null;

  @Limited({ maxLength: 2_000 })
  @Field(() => String, { nullable: true, description: 'The request of the visitor in a few words. Operators see it.' })
  reason?: string | null;
}

@ObjectType({ description: 'A request of a visitor for a person.' })
export class RequestedHandoff {
  @Field(() => ID)
  id!: string;

  @Field(() => enumTypes.HandoffStatus)
  status!: EnumValue<'HandoffStatus'>;

  @Field(() => ID)
  conversationId!: string;

  @Field(() => String, {
    description: 'Identifies the visitor in later requests. Keep it secret: it gives access to the conversation.',
  })
  visitorId!: string;

  @Field(() => Date)
  createdAt!: Date;
}
