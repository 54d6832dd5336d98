import { GraphQLJSONObject } from 'graphql-scalars';
import { ID, Int, ObjectType } from 'type-graphql';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { NOT_BLANK } from '../../../schema/text.ts';
import type { MessagePart } from '../chat/reply-store.ts';
import { KnownVisitor, UIMessagePartScalar, VISITOR_ID } from '../chat/types.ts';

@ObjectType({ description: 'Optional features of the widget.' })
class WidgetFeatures extends output({
  voice: field(Boolean, 'Visitors can talk to the agent by voice.'),
  handoff: field(Boolean, 'A person can take over the conversation; needs the `helpdesk` module.'),
}) {}

@ObjectType({ description: 'The public configuration of an embedded widget.' })
export class WidgetConfig extends output({
  name: field(String),
  welcomeMessage: field(String, 'The first message that visitors see.'),
  placeholder: field(String, 'Shown in the empty chat input.'),
  suggestedMessages: list(String, 'Quick replies that visitors see before the first message.'),
  theme: field(GraphQLJSONObject, 'Appearance of the widget, for example `primary` and `bubble`.').as<Record<string, unknown>>(),
  branding: field(GraphQLJSONObject, 'Branding of the widget, for example `poweredByVisible`.').as<Record<string, unknown>>(),
  features: field(WidgetFeatures),
  originAllowed: field(
    Boolean,
    'Whether a page of this origin can use the widget. If false, add `origin` to the allowed origins of the agent.',
  ),
  origin: field(String, { nullable: true, description: 'The origin of the page that sent the request; null if it is unknown.' }),
}) {}

@ObjectType({ description: 'A client secret for a voice session that a browser opens at the model provider.' })
export class VoiceToken extends output({
  token: field(String, 'The client secret. It is valid for a short time and for one session.'),
  expiresAt: field(Date),
  model: field(String, 'The model of the session, as named by the provider.'),
  url: field(String, 'WebSocket URL of the session.'),
}) {}

@ObjectType({ description: 'A token with which a visitor receives the messages of people in one conversation.' })
export class HandoffToken extends output({
  token: field(String, 'A JWT for one conversation. Its subject is the id of the conversation.'),
  expiresAt: field(Date),
  url: field(
    String,
    'URL of the GraphQL WebSocket, whose `connectionParams` take the token as `handoffToken`. Relative to the API without a public URL.',
  ),
}) {}

class SubmittedArguments extends args(KnownVisitor, {
  conversationId: field(ID, { nullable: true, description: 'The conversation in which the visitor filled in the form.' }),
}) {}

export class WidgetContact extends args(SubmittedArguments, {
  name: field(String, { maxLength: 255, nullable: true, description: 'A name or an e-mail address is required.' }),
  email: field(String, { maxLength: 320, nullable: true }),
  phone: field(String, { maxLength: 64, nullable: true }),
}) {}

export class WidgetSubmission extends args(SubmittedArguments, {
  formName: field(String, { maxLength: 64 }),
  values: field(GraphQLJSONObject, 'The values by field name.').as<Record<string, unknown>>(),
}) {}

@ObjectType({ description: 'Confirms that the service stored what a visitor sent.' })
export class WidgetReceipt extends output({
  id: field(ID),
  createdAt: field(Date),
}) {}

@ObjectType({ description: 'A reply on a ticket, as its requester sees it.' })
export class WidgetTicketMessage extends output({
  id: field(ID),
  isFromTeam: field(Boolean, 'True if a teammate wrote the reply, false if the requester did.'),
  authorName: field(String),
  text: field(String),
  createdAt: field(Date),
}) {}

@ObjectType({ description: 'A ticket of a visitor, as the visitor sees it.' })
export class WidgetTicket extends output({
  ticketNumber: field(String),
  subject: field(String),
  status: field(enumTypes.TicketStatus),
  createdAt: field(Date),
  lastActivityAt: field(Date),
  messages: list(WidgetTicketMessage, {
    assumedSize: 20,
    description: 'The newest 50 replies, oldest first, without the notes of the team.',
  }),
}) {
  id!: string;
}

export class WidgetReply extends args({
  ticketNumber: field(String, { maxLength: 64 }),
  text: field(String, { minLength: 1, maxLength: 20_000, pattern: NOT_BLANK }),
  visitorId: field(String, { ...VISITOR_ID, nullable: true, description: 'The visitor id of the conversation.' }),
}) {}

export class NewRating extends args({
  messageId: field(ID, 'A reply; its `start` part contains the id.'),
  rating: field(enumTypes.MessageRating, { nullable: true, description: 'Required; null removes the rating.' }),
  comment: field(String, { maxLength: 2_000, nullable: true, description: 'Replaces an earlier comment.' }),
  visitorId: field(String, { ...VISITOR_ID, nullable: true, description: 'The visitor id of the conversation.' }),
}) {}

@ObjectType({ description: 'The rating of a reply by its visitor.' })
export class RatedMessage extends output({
  id: field(ID),
  rating: field(enumTypes.MessageRating, { nullable: true }),
  comment: field(String, { nullable: true }),
}) {}

@ObjectType({ description: 'A message of a conversation, as its visitor sees it.' })
export class VisitorMessage extends output({
  id: field(ID),
  clientId: field(String, { nullable: true, description: 'The id that the client gave a message of the visitor.' }),
  position: field(Int, 'Increases with each message of the conversation.'),
  role: field(enumTypes.MessageRole),
  status: field(enumTypes.MessageStatus),
  text: field(String, 'The text without tool calls and sources. Empty while a reply is running.'),
  parts: list(UIMessagePartScalar, 'The whole message in the format of the AI SDK.').as<MessagePart[]>(),
  authorName: field(String, { nullable: true, description: 'The name of the operator who wrote it.' }),
  rating: field(enumTypes.MessageRating, { nullable: true }),
  createdAt: field(Date),
}) {}

@ObjectType({ description: 'The conversation with which a signed-in visitor goes on.' })
export class NewestConversation extends output({
  conversationId: field(ID, {
    nullable: true,
    description:
      'The newest open conversation with a message in the last 30 days. Null without one, and for a visitor who is not signed in.',
  }),
}) {}

@ObjectType({ description: 'A conversation, as its visitor sees it.' })
export class VisitorConversation extends output({
  id: field(ID),
  handoffStatus: field(enumTypes.HandoffStatus, { nullable: true, description: 'Status of the newest handoff; null without one.' }),
  operatorName: field(String, { nullable: true, description: 'The name of the operator who has or had the conversation.' }),
  eventSequence: field(Int, 'The `sequence` after which `visitorHandoffEvents` continues from these messages.'),
  messages: list(VisitorMessage, {
    assumedSize: 100,
    description: 'The newest messages, oldest first, without replaced replies: at most 100, and 4 MiB after the newest one.',
  }),
}) {}
