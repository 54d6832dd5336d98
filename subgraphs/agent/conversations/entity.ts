import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, ID, InputType, Int, ObjectType } from 'type-graphql';
import { clock, Deletion, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { NOT_BLANK } from '../../../schema/text.ts';
import type { MessagePart } from '../chat/chunks.ts';
import { UIMessagePartScalar } from '../chat/types.ts';
import { DayRange } from '../figures/day-range.ts';

/** The visitor of a conversation whose contact is being erased, so that nobody continues it. */
export const ERASED_VISITOR = 'erased';

/** Begins the id of a visitor whose identity the site has signed. No client can send such an id. */
export const VERIFIED = 'verified:';

@ObjectType({ description: 'A conversation of a visitor or an admin with an agent.' })
@Entity({ schema: 'agent', tableName: 'conversations' })
export class Conversation extends Owned {
  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'text', description: 'Identifies the visitor, or the user in the channel `admin`.' })
  visitorId!: string;

  /** The chat id that the client chose. */
  @Property({ type: 'text', nullable: true })
  clientId: string | null = null;

  /** The person behind the visitor, once a lead or a ticket of the conversation names one. */
  @Property({ type: 'uuid', nullable: true })
  contactId: string | null = null;

  @FieldProperty(() => enumTypes.ConversationChannel, { type: 'string' })
  channel!: EnumValue<'ConversationChannel'>;

  @FieldProperty(() => enumTypes.ConversationStatus, { type: 'string' })
  status: Opt<EnumValue<'ConversationStatus'>> = 'open';

  @FieldProperty({
    type: 'text',
    nullable: true,
    description: 'Summary of the messages that no longer fit into the context of the model.',
  })
  summary: string | null = null;

  /** Position of the last message that the summary covers. */
  @Property({ type: 'integer' })
  summarizedTo: Opt<number> = 0;

  /** The hosts whose personal data is in the conversation. */
  @Property({ type: 'array' })
  personalHosts: Opt<string[]> = [];

  @FieldProperty({ type: 'integer' })
  messageCount: Opt<number> = 0;

  @FieldProperty(() => enumTypes.HandoffStatus, {
    type: 'text',
    nullable: true,
    description: 'Status of the newest handoff to a person; null without one.',
  })
  handoffStatus: EnumValue<'HandoffStatus'> | null = null;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The member who takes care of it; null if nobody does.' })
  assignedToUserId: string | null = null;

  @FieldProperty({ type: 'text', nullable: true })
  assignedToName: string | null = null;

  @FieldProperty({ type: 'array', description: 'Words of the team for this conversation, in lower case and sorted.' })
  tags: Opt<string[]> = [];

  /** Number of the last handoff event. */
  @Property({ type: 'integer' })
  eventSequence: Opt<number> = 0;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', nullable: true })
  lastMessageAt: Date | null = null;
}

@ObjectType({ description: 'One message of a conversation. Replies are stored while they are written.' })
@Entity({ schema: 'agent', tableName: 'messages' })
export class Message extends Owned {
  @FieldProperty({ type: 'uuid' })
  conversationId!: string;

  @FieldProperty({ type: 'integer', description: 'Starts at 1 and increases with each message of the conversation.' })
  position!: number;

  @FieldProperty(() => enumTypes.MessageRole, { type: 'string' })
  role!: EnumValue<'MessageRole'>;

  @FieldProperty({ type: 'text', description: 'The text without tool calls and sources. Empty while a reply is running.' })
  text: Opt<string> = '';

  @FieldProperty(() => [UIMessagePartScalar], { type: 'json', description: 'The whole message in the format of the AI SDK.' })
  parts: Opt<MessagePart[]> = [];

  @FieldProperty(() => enumTypes.MessageStatus, { type: 'string' })
  status!: EnumValue<'MessageStatus'>;

  @FieldProperty({ type: 'text', nullable: true, description: 'Why a reply failed.' })
  error: string | null = null;

  @FieldProperty({ type: 'boolean', description: 'Whether a newer reply to the same or an earlier message replaced it.' })
  replaced: Opt<boolean> = false;

  @FieldProperty({ type: 'decimal', precision: 16, scale: 4, runtimeType: 'number', description: 'Credits that the reply cost.' })
  credits: Opt<number> = 0;

  @FieldProperty({ type: 'text', nullable: true, description: 'The model that wrote a reply, as named by the provider.' })
  model: string | null = null;

  @FieldProperty({
    type: 'integer',
    nullable: true,
    description: 'The number of the version of the agent that wrote a reply; null for other messages, and for replies of a draft.',
  })
  version: number | null = null;

  @FieldProperty({
    type: 'integer',
    nullable: true,
    description: 'Milliseconds until the first text of a reply; null if it has none.',
  })
  firstTokenMs: number | null = null;

  @FieldProperty({
    type: 'integer',
    nullable: true,
    description: 'Milliseconds until the end of a reply, without the wait for approvals; null while it runs.',
  })
  durationMs: number | null = null;

  @FieldProperty({ type: 'boolean', description: 'Whether a reply says that nothing answers the question.' })
  unanswered: Opt<boolean> = false;

  /** The state of the question of an unanswered reply. */
  @Property({ type: 'text' })
  questionStatus: Opt<EnumValue<'QuestionStatus'>> = 'open';

  @FieldProperty(() => [String], { type: 'json', description: 'Sentences of a reply that the passages they cite do not support.' })
  unsupported: Opt<string[]> = [];

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The user who wrote a message with the role `operator`.' })
  authorId: string | null = null;

  @FieldProperty({ type: 'text', nullable: true, description: 'The name of the operator, as the visitor saw it.' })
  authorName: string | null = null;

  /** Tokens of the text; 0 while the reply runs. */
  @Property({ type: 'integer' })
  tokens: Opt<number> = 0;

  @FieldProperty(() => enumTypes.MessageRating, { type: 'text', nullable: true, description: 'How the visitor rated a reply.' })
  rating: EnumValue<'MessageRating'> | null = null;

  @FieldProperty({ type: 'text', nullable: true, description: 'The comment of the visitor on the rating.' })
  ratingComment: string | null = null;

  @FieldProperty({ type: 'datetime', nullable: true })
  ratedAt: Date | null = null;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', nullable: true })
  finishedAt: Date | null = null;
}

@InputType({ description: 'Selects replies of an agent to visitors.' })
export class RepliesFilter extends input(DayRange, {
  agentId: field(ID),
  version: field(Int, { nullable: true, description: 'Written by the version with this number; 0 for replies without one.' }),
  unanswered: field(Boolean, { nullable: true, description: 'Whether the reply says that nothing answers the question.' }),
  failed: field(Boolean, { nullable: true, description: 'With true: replies that failed.' }),
  rating: field(enumTypes.MessageRating, { nullable: true, description: 'How the visitor rated the reply.' }),
  sourceId: field(ID, { nullable: true, description: 'The id of a source that the reply cites.' }),
  handedOver: field(Boolean, {
    nullable: true,
    description: 'With true: conversations that were handed to people on these days, also without a reply.',
  }),
}) {}

@ObjectType({ description: 'A note of the team on a conversation. Visitors, agents and webhooks never get it.' })
@Entity({ schema: 'agent', tableName: 'conversation_notes' })
export class ConversationNote extends Owned {
  @Property({ type: 'uuid' })
  conversationId!: string;

  @FieldProperty(() => enumTypes.ConversationNoteKind, { type: 'string' })
  kind: Opt<EnumValue<'ConversationNoteKind'>> = 'note';

  @FieldProperty({ type: 'uuid' })
  authorId!: string;

  @FieldProperty({ type: 'text' })
  authorName!: string;

  @FieldProperty({ type: 'text' })
  text!: string;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ObjectType({ description: 'One page of notes.' })
export class ConversationNotePage extends PageOf(ConversationNote, 'ConversationNotePage') {}

@ArgsType()
export class ConversationNotesArguments extends pageArguments(50) {}

@ArgsType()
export class NewConversationNote extends args({
  id: field(ID, 'The conversation.'),
  text: field(String, { minLength: 1, maxLength: 4_000, pattern: NOT_BLANK }),
}) {}

@ArgsType()
export class ConversationsArguments extends args(pageArguments(20), {
  agentId: field(ID, { nullable: true, description: 'Only conversations with this agent.' }),
  status: field(enumTypes.ConversationStatus, { nullable: true }),
  channel: field(enumTypes.ConversationChannel, { nullable: true }),
  handoffStatus: field(enumTypes.HandoffStatus, {
    nullable: true,
    description: 'Only conversations whose newest handoff has this status.',
  }),
  rating: field(enumTypes.MessageRating, {
    nullable: true,
    description: 'Only conversations with a reply that a visitor rated this way.',
  }),
  assignedToUserId: field(ID, { nullable: true, description: 'Only conversations that are assigned to this user.' }),
  tag: field(String, { maxLength: 40, nullable: true, description: 'Only conversations with this tag.' }),
  search: field(String, { maxLength: 256, nullable: true, description: 'Part of the text of a message, in any case.' }),
  replies: field(RepliesFilter, {
    nullable: true,
    description: 'Only conversations of visitors with a reply that matches all of it.',
  }),
}) {}

@ArgsType()
export class MessagesArguments extends args(pageArguments(50), {
  rating: field(enumTypes.MessageRating, { nullable: true, description: 'Only replies with this rating.' }),
}) {}

@ObjectType({ description: 'One page of conversations.' })
export class ConversationPage extends PageOf(Conversation, 'ConversationPage') {}

@ObjectType({ description: 'One page of messages.' })
export class MessagePage extends PageOf(Message, 'MessagePage') {}

@ObjectType({ description: 'A question that nothing answered.' })
class UnansweredQuestion extends output({
  conversationId: field(ID),
  messageId: field(ID, 'The id of the reply.'),
  question: field(String),
  reply: field(String, 'The reply of the agent.'),
  askedAt: field(Date),
  status: field(enumTypes.QuestionStatus),
}) {}

@ArgsType()
export class UnansweredQuestionsArguments extends args(pageArguments(20), {
  agentId: field(ID, { nullable: true, description: 'Only questions to this agent.' }),
  status: field(enumTypes.QuestionStatus, { defaultValue: 'open' }),
}) {}

@ArgsType()
export class QuestionStatusArguments extends args({
  messageIds: list(ID, { minItems: 1, maxItems: 500, description: 'The ids of the replies.' }),
  status: field(enumTypes.QuestionStatus),
}) {}

@ObjectType({ description: 'One page of unanswered questions.' })
export class UnansweredQuestionPage extends PageOf(UnansweredQuestion, 'UnansweredQuestionPage') {}

@ObjectType({ description: 'Confirms that a conversation was deleted.' })
export class DeletedConversation extends Deletion {}
