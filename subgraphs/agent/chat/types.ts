import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, type ClassType, Field, ID, Int, ObjectType } from 'type-graphql';
import { args, field, type Limit, Limited, list, output } from '../../../platform/fields/index.ts';
import { isObject } from '../../../schema/json.ts';
import { enumTypes, MAX_PARTS } from '../../../schema/scalars.ts';
import type { Chunk } from './chunks.ts';
import { PAGE_CONTEXT, type PageContext } from './page-context.ts';

/** Leaves room for later parts below the limit of `Int`. */
const SEQUENCE: Limit = { min: 0, max: 1_000_000_000 };

function* partFaults(messages: unknown, path: string) {
  for (const [index, message] of Array.isArray(messages) ? messages.entries() : []) {
    const isTooLong = isObject(message) && Array.isArray(message.parts) && message.parts.length > MAX_PARTS;
    if (isTooLong) yield `${path}[${index}].parts must have at most ${MAX_PARTS} entries`;
  }
}

/** Its unused parts may have any form, so only their number is validated, by `ChatArguments`. */
const UIMessageScalar = new GraphQLScalarType({
  name: 'UIMessage',
  description: 'A message in the format of the AI SDK: an object with `role`, at most 10,000 `parts` and optionally `id`.',
});

const UIMessageChunkScalar = new GraphQLScalarType({
  name: 'UIMessageChunk',
  description: 'One part of the UI message stream of the AI SDK: an object with `type` and the keys of this type.',
});

export const UIMessagePartScalar = new GraphQLScalarType({
  name: 'UIMessagePart',
  description: 'One part of a stored message in the format of the AI SDK: text, a tool call with its result, or a source.',
});

export class ChatArguments extends args({
  messages: list(UIMessageScalar, {
    minItems: 1,
    maxItems: 10_000,
    faults: partFaults,
    description:
      'Only the last message with the role `user` is read. The stored conversation replaces the others. If the last message is one of the assistant with answered requests for approval, these are decided instead, and the rest of the reply follows.',
  }).as<unknown[]>(),
  conversationId: field(ID, { nullable: true, description: 'The conversation to continue. Default: that of `id`, or a new one.' }),
  id: field(String, {
    maxLength: 128,
    nullable: true,
    description: 'The chat id of the client. Later messages of the same sender with this id continue the conversation.',
  }),
  trigger: field(String, {
    nullable: true,
    description:
      '`regenerate-message` replaces the reply to the last user message of `messages`, and the messages after it. A message that is not stored is added. Other values have no effect.',
  }),
  pageContext: field(GraphQLJSONObject, {
    ...PAGE_CONTEXT,
    nullable: true,
    description:
      'The page on which the user writes, as the page describes it: at most 20 keys with texts, numbers and booleans, and 2,048 bytes of JSON. Agent and operators read it as data that nobody has checked. The conversation keeps the newest one; null removes it.',
  }).as<PageContext>(),
  after: field(Int, {
    ...SEQUENCE,
    defaultValue: 0,
    description: 'The last `sequence` that the client received, to resume a subscription.',
  }),
}) {
  preview?: boolean;
}

export class AdminChatArguments extends args(ChatArguments, {
  preview: field(Boolean, {
    defaultValue: false,
    description: 'Show the requests of tools that write as their results, and send nothing.',
  }),
}) {}

export class ChatReplyArguments extends args({
  conversationId: field(ID, 'The conversation, or the chat id of the client.'),
  after: field(Int, {
    ...SEQUENCE,
    defaultValue: 0,
    description: 'The last `sequence` that the client received. 0 starts with the first part.',
  }),
}) {}

@ObjectType({ description: 'One part of a reply.' })
export class ReplyPart extends output({
  sequence: field(Int, 'Increases with each part of the reply. Numbers may be skipped.'),
  conversationId: field(ID, 'The conversation of the reply.'),
  visitorId: field(String, 'Identifies the visitor in later requests. Keep it secret: it gives access to the conversation.'),
  identityStatus: field(enumTypes.IdentityStatus, 'The result of the identity token of the request.'),
  messageId: field(ID),
  part: field(UIMessageChunkScalar).as<Chunk>(),
}) {}

/** Only documents the form. `visitorOf` checks it, and creates an id for a new visitor. */
export const VISITOR_ID: Limit = { format: 'uuid' };

/** The argument that identifies a visitor. */
export interface VisitorArgument {
  visitorId?: string | null;
}

function visitorArguments(description: string): ClassType<VisitorArgument> {
  @ArgsType()
  class VisitorArguments {
    @Limited(VISITOR_ID)
    @Field(() => String, { nullable: true, description })
    visitorId?: string | null;
  }
  return VisitorArguments;
}

export const NewVisitor = visitorArguments('The visitor id of an earlier reply. A new visitor gets one.');
export const KnownVisitor = visitorArguments('The visitor id of an earlier reply.');
export const ConversationVisitor = visitorArguments('The visitor id of the conversation.');
