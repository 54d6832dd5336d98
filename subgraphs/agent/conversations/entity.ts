import { ID, InputType, Int, ObjectType } from 'type-graphql';
import { clock, column, columns, Deletion, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { NOT_BLANK } from '../../../schema/text.ts';
import type { MessagePart } from '../chat/reply-store.ts';
import { UIMessagePartScalar } from '../chat/types.ts';
import { DayRange } from '../figures/entity.ts';

/** The visitor of a conversation whose contact is being erased, so that nobody continues it. */
export const ERASED_VISITOR = 'erased';

/** Begins the id of a visitor whose identity the site has signed. No client can send such an id. */
export const VERIFIED = 'verified:';

@ObjectType({ description: 'A conversation of a visitor or an admin with an agent.' })
@Table('agent.conversations')
export class Conversation extends columns(Owned, {
  agentId: column('uuid'),
  visitorId: column('text', 'Identifies the visitor, or the user in the channel `admin`.'),
  /** The chat id that the client chose. */
  clientId: hidden('text', { nullable: true }),
  /** The person behind the visitor, once a lead or a ticket of the conversation names one. */
  contactId: hidden('uuid', { nullable: true }),
  channel: column(enumTypes.ConversationChannel),
  status: column(enumTypes.ConversationStatus, { initial: 'open' }),
  summary: column('text', {
    nullable: true,
    description: 'Summary of the messages that no longer fit into the context of the model.',
  }),
  /** Position of the last message that the summary covers. */
  summarizedTo: hidden('integer', { initial: 0 }),
  /** The hosts whose personal data is in the conversation. */
  personalHosts: hidden('array', { initial: [] }),
  messageCount: column('integer', { initial: 0 }),
  handoffStatus: column(enumTypes.HandoffStatus, {
    type: 'text',
    nullable: true,
    description: 'Status of the newest handoff to a person; null without one.',
  }),
  assignedToUserId: column('uuid', { nullable: true, description: 'The member who takes care of it; null if nobody does.' }),
  assignedToName: column('text', { nullable: true }),
  tags: column('array', { initial: [], description: 'Words of the team for this conversation, in lower case and sorted.' }),
  /** Number of the last handoff event. */
  eventSequence: hidden('integer', { initial: 0 }),
  createdAt: column('datetime', { initial: clock.now }),
  lastMessageAt: column('datetime', { nullable: true }),
}) {}

@ObjectType({ description: 'One message of a conversation. Replies are stored while they are written.' })
@Table('agent.messages')
export class Message extends columns(Owned, {
  conversationId: column('uuid'),
  position: column('integer', 'Starts at 1 and increases with each message of the conversation.'),
  role: column(enumTypes.MessageRole),
  text: column('text', { initial: '', description: 'The text without tool calls and sources. Empty while a reply is running.' }),
  parts: column([UIMessagePartScalar], {
    type: 'json',
    initial: [],
    description: 'The whole message in the format of the AI SDK.',
  }).as<MessagePart[]>(),
  status: column(enumTypes.MessageStatus),
  error: column('text', { nullable: true, description: 'Why a reply failed.' }),
  replaced: column('boolean', {
    initial: false,
    description: 'Whether a newer reply to the same or an earlier message replaced it.',
  }),
  credits: column('credits', { initial: 0, description: 'Credits that the reply cost.' }),
  model: column('text', { nullable: true, description: 'The model that wrote a reply, as named by the provider.' }),
  version: column('integer', {
    nullable: true,
    description: 'The number of the version of the agent that wrote a reply; null for other messages, and for replies of a draft.',
  }),
  firstTokenMs: column('integer', {
    nullable: true,
    description: 'Milliseconds until the first text of a reply; null if it has none.',
  }),
  durationMs: column('integer', {
    nullable: true,
    description: 'Milliseconds until the end of a reply, without the wait for approvals; null while it runs.',
  }),
  unanswered: column('boolean', { initial: false, description: 'Whether a reply says that nothing answers the question.' }),
  /** The state of the question of an unanswered reply. */
  questionStatus: hidden('text', { initial: 'open' }).as<EnumValue<'QuestionStatus'>>(),
  unsupported: column([String], {
    type: 'json',
    initial: [],
    description: 'Sentences of a reply that the passages they cite do not support.',
  }),
  authorId: column('uuid', { nullable: true, description: 'The user who wrote a message with the role `operator`.' }),
  authorName: column('text', { nullable: true, description: 'The name of the operator, as the visitor saw it.' }),
  /** Tokens of the text; 0 while the reply runs. */
  tokens: hidden('integer', { initial: 0 }),
  rating: column(enumTypes.MessageRating, { type: 'text', nullable: true, description: 'How the visitor rated a reply.' }),
  ratingComment: column('text', { nullable: true, description: 'The comment of the visitor on the rating.' }),
  ratedAt: column('datetime', { nullable: true }),
  createdAt: column('datetime', { initial: clock.now }),
  finishedAt: column('datetime', { nullable: true }),
}) {}

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
@Table('agent.conversation_notes')
export class ConversationNote extends columns(Owned, {
  conversationId: hidden('uuid'),
  kind: column(enumTypes.ConversationNoteKind, { initial: 'note' }),
  authorId: column('uuid'),
  authorName: column('text'),
  text: column('text'),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

@ObjectType({ description: 'One page of notes.' })
export class ConversationNotePage extends PageOf(ConversationNote, 'ConversationNotePage') {}

export class ConversationNotesArguments extends pageArguments(50) {}

export class NewConversationNote extends args({
  id: field(ID, 'The conversation.'),
  text: field(String, { minLength: 1, maxLength: 4_000, pattern: NOT_BLANK }),
}) {}

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

export class UnansweredQuestionsArguments extends args(pageArguments(20), {
  agentId: field(ID, { nullable: true, description: 'Only questions to this agent.' }),
  status: field(enumTypes.QuestionStatus, { defaultValue: 'open' }),
}) {}

export class QuestionStatusArguments extends args({
  messageIds: list(ID, { minItems: 1, maxItems: 500, description: 'The ids of the replies.' }),
  status: field(enumTypes.QuestionStatus),
}) {}

@ObjectType({ description: 'One page of unanswered questions.' })
export class UnansweredQuestionPage extends PageOf(UnansweredQuestion, 'UnansweredQuestionPage') {}

@ObjectType({ description: 'Confirms that a conversation was deleted.' })
export class DeletedConversation extends Deletion {}
