import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { MessagePart } from '../chat/chunks.ts';
import { UIMessagePartScalar } from '../chat/types.ts';

/** The visitor of a conversation whose contact is being erased, so that nobody continues it. */
export const ERASED_VISITOR = 'erased';

@ObjectType({ description: 'A conversation of a visitor or an admin with an agent.' })
@Entity({ schema: 'agent', tableName: 'conversations' })
export class Conversation extends Owned {
  @Field(() => ID)
  @Property({ type: 'uuid' })
  agentId!: string;

  @Field(() => String, { description: 'Identifies the visitor, or the user in the channel `admin`.' })
  @Property({ type: 'text' })
  visitorId!: string;

  /** The chat id that the client chose. */
  @Property({ type: 'text', nullable: true })
  clientId: string | null = null;

  /** The person behind the visitor, once a lead or a ticket of the conversation names one. */
  @Property({ type: 'uuid', nullable: true })
  contactId: string | null = null;

  @Field(() => enumTypes.ConversationChannel)
  @Property({ type: 'string' })
  channel!: EnumValue<'ConversationChannel'>;

  @Field(() => enumTypes.ConversationStatus)
  @Property({ type: 'string' })
  status: Opt<EnumValue<'ConversationStatus'>> = 'open';

  @Field(() => String, { nullable: true, description: 'Summary of the messages that no longer fit into the context of the model.' })
  @Property({ type: 'text', nullable: true })
  summary: string | null = null;

  /** Position of the last message that the summary covers. */
  @Property({ type: 'integer' })
  summarizedTo: Opt<number> = 0;

  @Field(() => Int)
  @Property({ type: 'integer' })
  messageCount: Opt<number> = 0;

  @Field(() => enumTypes.HandoffStatus, {
    nullable: true,
    description: 'Status of the newest handoff to a person; null without one.',
  })
  @Property({ type: 'text', nullable: true })
  handoffStatus: EnumValue<'HandoffStatus'> | null = null;

  /** Number of the last handoff event. */
  @Property({ type: 'integer' })
  eventSequence: Opt<number> = 0;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', nullable: true })
  lastMessageAt: Date | null = null;
}

@ObjectType({ description: 'One message of a conversation. Replies are stored while they are written.' })
@Entity({ schema: 'agent', tableName: 'messages' })
export class Message extends Owned {
  @Field(() => ID)
  @Property({ type: 'uuid' })
  conversationId!: string;

  @Field(() => Int, { description: 'Starts at 1 and grows with each message of the conversation.' })
  @Property({ type: 'integer' })
  position!: number;

  @Field(() => enumTypes.MessageRole)
  @Property({ type: 'string' })
  role!: EnumValue<'MessageRole'>;

  @Field(() => String, { description: 'The text without tool calls and sources. Empty while a reply is running.' })
  @Property({ type: 'text' })
  text: Opt<string> = '';

  @Field(() => [UIMessagePartScalar], { description: 'The whole message in the format of the AI SDK.' })
  @Property({ type: 'json' })
  parts: Opt<MessagePart[]> = [];

  @Field(() => enumTypes.MessageStatus)
  @Property({ type: 'string' })
  status!: EnumValue<'MessageStatus'>;

  @Field(() => String, { nullable: true, description: 'Why a reply failed.' })
  @Property({ type: 'text', nullable: true })
  error: string | null = null;

  @Field(() => Boolean, { description: 'Whether a newer reply to the same or an earlier message replaced it.' })
  @Property({ type: 'boolean' })
  replaced: Opt<boolean> = false;

  @Field(() => Float, { description: 'Credits that the reply cost.' })
  @Property({ type: 'decimal', precision: 16, scale: 4, runtimeType: 'number' })
  credits: Opt<number> = 0;

  @Field(() => String, { nullable: true, description: 'The model that wrote a reply, as named by the provider.' })
  @Property({ type: 'text', nullable: true })
  model: string | null = null;

  @Field(() => Boolean, { description: 'Whether a reply says that nothing answers the question.' })
  @Property({ type: 'boolean' })
  unanswered: Opt<boolean> = false;

  @Field(() => [String], { description: 'Sentences of a reply that the passages they cite do not support.' })
  @Property({ type: 'json' })
  unsupported: Opt<string[]> = [];

  @Field(() => ID, { nullable: true, description: 'The user who wrote a message with the role `operator`.' })
  @Property({ type: 'uuid', nullable: true })
  authorId: string | null = null;

  @Field(() => String, { nullable: true, description: 'The name of the operator, as the visitor saw it.' })
  @Property({ type: 'text', nullable: true })
  authorName: string | null = null;

  /** Tokens of the text; 0 while the reply runs. */
  @Property({ type: 'integer' })
  tokens: Opt<number> = 0;

  @Field(() => enumTypes.MessageRating, { nullable: true, description: 'How the visitor rated a reply.' })
  @Property({ type: 'text', nullable: true })
  rating: EnumValue<'MessageRating'> | null = null;

  @Field(() => String, { nullable: true, description: 'The comment of the visitor on the rating.' })
  @Property({ type: 'text', nullable: true })
  ratingComment: string | null = null;

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', nullable: true })
  ratedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', nullable: true })
  finishedAt: Date | null = null;
}
