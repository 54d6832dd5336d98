import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { NOT_BLANK } from '../../../schema/text.ts';
import type { MessagePart } from '../chat/chunks.ts';
import { KnownVisitor, UIMessagePartScalar, VISITOR_ID } from '../chat/types.ts';

@ObjectType({ description: 'Optional features of the widget.' })
export class WidgetFeatures {
  @Field(() => Boolean, { description: 'Visitors can talk to the agent by voice.' })
  voice!: boolean;

  @Field(() => Boolean, { description: 'A person can take over the conversation; needs the `helpdesk` module.' })
  handoff!: boolean;
}

@ObjectType({ description: 'The public configuration of an embedded widget.' })
export class WidgetConfig {
  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'The first message that visitors see.' })
  welcomeMessage!: string;

  @Field(() => String, { description: 'Shown in the empty chat input.' })
  placeholder!: string;

  @Field(() => [String], { description: 'Quick replies that visitors see before the first message.' })
  suggestedMessages!: string[];

  @Field(() => GraphQLJSONObject, { description: 'Appearance of the widget, for example `primary` and `bubble`.' })
  theme!: Record<string, unknown>;

  @Field(() => GraphQLJSONObject, { description: 'Branding of the widget, for example `poweredByVisible`.' })
  branding!: Record<string, unknown>;

  @Field(() => WidgetFeatures)
  features!: WidgetFeatures;

  @Field(() => Boolean, {
    description: 'Whether a page of this origin can use the widget. If false, add `origin` to the allowed origins of the agent.',
  })
  originAllowed!: boolean;

  @Field(() => String, { nullable: true, description: 'The origin of the page that sent the request; null if it is unknown.' })
  origin!: string | null;
}

@ObjectType({ description: 'A client secret for a voice session that a browser opens at the model provider.' })
export class VoiceToken {
  @Field(() => String, { description: 'The client secret. It is valid for a short time and for one session.' })
  token!: string;

  @Field(() => Date)
  expiresAt!: Date;

  @Field(() => String, { description: 'The model of the session, as named by the provider.' })
  model!: string;

  @Field(() => String, { description: 'WebSocket URL of the session.' })
  url!: string;
}

@ObjectType({ description: 'A token with which a visitor receives the messages of people in one conversation.' })
export class HandoffToken {
  @Field(() => String, { description: 'A JWT for one conversation. Its subject is the id of the conversation.' })
  token!: string;

  @Field(() => Date)
  expiresAt!: Date;

  @Field(() => String, {
    description:
      'URL of the GraphQL WebSocket, whose `connectionParams` take the token as `handoffToken`. Relative to the API without a public URL.',
  })
  url!: string;
}

@ArgsType()
class SubmittedArguments extends KnownVisitor {
  @Field(() => ID, { nullable: true, description: 'The conversation in which the visitor filled in the form.' })
  conversationId?: string | null;
}

@ArgsType()
export class WidgetContact extends SubmittedArguments {
  @Limited({ maxLength: 255 })
  @Field(() => String, { nullable: true, description: 'A name or an e-mail address is required.' })
  name?: string | null;

  @Limited({ maxLength: 320 })
  @Field(() => String, { nullable: true })
  email?: string | null;

  @Limited({ maxLength: 64 })
  @Field(() => String, { nullable: true })
  phone?: string | null;
}

@ArgsType()
export class WidgetSubmission extends SubmittedArguments {
  @Limited({ maxLength: 64 })
  @Field(() => String)
  formName!: string;

  @Field(() => GraphQLJSONObject, { description: 'The values by field name.' })
  values!: Record<string, unknown>;
}

@ObjectType({ description: 'Confirms that the service stored what a visitor sent.' })
export class WidgetReceipt {
  @Field(() => ID)
  id!: string;

  @Field(() => Date)
  createdAt!: Date;
}

@ObjectType({ description: 'A reply on a ticket, as its requester sees it.' })
export class WidgetTicketMessage {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean, { description: 'True if a teammate wrote the reply, false if the requester did.' })
  isFromTeam!: boolean;

  @Field(() => String)
  authorName!: string;

  @Field(() => String)
  text!: string;

  @Field(() => Date)
  createdAt!: Date;
}

@ObjectType({ description: 'A ticket of a visitor, as the visitor sees it.' })
export class WidgetTicket {
  id!: string;

  @Field(() => String)
  ticketNumber!: string;

  @Field(() => String)
  subject!: string;

  @Field(() => enumTypes.TicketStatus)
  status!: EnumValue<'TicketStatus'>;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  lastActivityAt!: Date;

  @ListSize(20)
  @Field(() => [WidgetTicketMessage], { description: 'The newest 50 replies, oldest first, without the notes of the team.' })
  messages!: WidgetTicketMessage[];
}

@ArgsType()
export class WidgetReply {
  @Limited({ maxLength: 64 })
  @Field(() => String)
  ticketNumber!: string;

  @Limited({ minLength: 1, maxLength: 20_000, pattern: NOT_BLANK })
  @Field(() => String)
  text!: string;

  @Limited(VISITOR_ID)
  @Field(() => String, { nullable: true, description: 'The visitor id of the conversation.' })
  visitorId?: string | null;
}

@ArgsType()
export class NewRating {
  @Field(() => ID, { description: 'A reply; its `start` part contains the id.' })
  messageId!: string;

  @Field(() => enumTypes.MessageRating, { nullable: true, description: 'Required; null removes the rating.' })
  rating?: EnumValue<'MessageRating'> | null;

  @Limited({ maxLength: 2_000 })
  @Field(() => String, { nullable: true, description: 'Replaces an earlier comment.' })
  comment?: string | null;

  @Limited(VISITOR_ID)
  @Field(() => String, { nullable: true, description: 'The visitor id of the conversation.' })
  visitorId?: string | null;
}

@ObjectType({ description: 'The rating of a reply by its visitor.' })
export class RatedMessage {
  @Field(() => ID)
  id!: string;

  @Field(() => enumTypes.MessageRating, { nullable: true })
  rating!: EnumValue<'MessageRating'> | null;

  @Field(() => String, { nullable: true })
  comment!: string | null;
}

@ObjectType({ description: 'A message of a conversation, as its visitor sees it.' })
export class VisitorMessage {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { nullable: true, description: 'The id that the client gave a message of the visitor.' })
  clientId!: string | null;

  @Field(() => Int, { description: 'Increases with each message of the conversation.' })
  position!: number;

  @Field(() => enumTypes.MessageRole)
  role!: EnumValue<'MessageRole'>;

  @Field(() => enumTypes.MessageStatus)
  status!: EnumValue<'MessageStatus'>;

  @Field(() => String, { description: 'The text without tool calls and sources. Empty while a reply is running.' })
  text!: string;

  @Field(() => [UIMessagePartScalar], { description: 'The whole message in the format of the AI SDK.' })
  parts!: MessagePart[];

  @Field(() => String, { nullable: true, description: 'The name of the operator who wrote it.' })
  authorName!: string | null;

  @Field(() => enumTypes.MessageRating, { nullable: true })
  rating!: EnumValue<'MessageRating'> | null;

  @Field(() => Date)
  createdAt!: Date;
}

@ObjectType({ description: 'The conversation with which a signed-in visitor goes on.' })
export class NewestConversation {
  @Field(() => ID, {
    nullable: true,
    description:
      'The newest open conversation with a message in the last 30 days. Null without one, and for a visitor who is not signed in.',
  })
  conversationId!: string | null;
}

@ObjectType({ description: 'A conversation, as its visitor sees it.' })
export class VisitorConversation {
  @Field(() => ID)
  id!: string;

  @Field(() => enumTypes.HandoffStatus, { nullable: true, description: 'Status of the newest handoff; null without one.' })
  handoffStatus!: EnumValue<'HandoffStatus'> | null;

  @Field(() => String, { nullable: true, description: 'The name of the operator who has or had the conversation.' })
  operatorName!: string | null;

  @Field(() => Int, { description: 'The `sequence` after which `visitorHandoffEvents` continues from these messages.' })
  eventSequence!: number;

  @ListSize(100)
  @Field(() => [VisitorMessage], {
    description: 'The newest messages, oldest first, without replaced replies: at most 100, and 4 MiB after the newest one.',
  })
  messages!: VisitorMessage[];
}
