import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, type ClassType, Field, ID, Int, ObjectType } from 'type-graphql';
import { type Limit, Limited } from '../../../platform/input/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { isObject } from '../../../schema/json.ts';
import { MAX_PARTS } from '../../../schema/scalar-schemas.ts';
import { enumTypes } from '../../../schema/scalars.ts';
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

@ArgsType()
export class ChatArguments {
  @Limited({ minItems: 1, maxItems: 10_000, faults: partFaults })
  @Field(() => [UIMessageScalar], {
    description:
      'Only the last message with the role `user` is read. The stored conversation replaces the others. If the last message is one of the assistant with answered requests for approval, these are decided instead, and the rest of the reply follows.',
  })
  messages!: unknown[];

  @Field(() => ID, { nullable: true, description: 'The conversation to continue. Default: that of `id`, or a new one.' })
  conversationId?: string | null;

  @Limited({ maxLength: 128 })
  @Field(() => String, {
    nullable: true,
    description: 'The chat id of the client. Later messages of the same sender with this id continue the conversation.',
  })
  id?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      '`regenerate-message` replaces the reply to the last user message of `messages`, and the messages after it. A message that is not stored is added. Other values have no effect.',
  })
  trigger?: string | null;

  @Limited(PAGE_CONTEXT)
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description:
      'The page on which the user writes, as the page describes it: at most 20 keys with texts, numbers and booleans, and 2,048 bytes of JSON. Agent and operators read it as data that nobody has checked. The conversation keeps the newest one; null removes it.',
  })
  pageContext?: PageContext | null;

  @Limited(SEQUENCE)
  @Field(() => Int, {
    defaultValue: 0,
    description: 'The last `sequence` that the client received, to resume a subscription.',
  })
  after!: number;

  preview?: boolean;
}

@ArgsType()
export class AdminChatArguments extends ChatArguments {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Show the requests of tools that write as their results, and send nothing.',
  })
  declare preview: boolean;
}

@ArgsType()
export class ChatReplyArguments {
  @Field(() => ID, { description: 'The conversation, or the chat id of the client.' })
  conversationId!: string;

  @Limited(SEQUENCE)
  @Field(() => Int, { defaultValue: 0, description: 'The last `sequence` that the client received. 0 starts with the first part.' })
  after!: number;
}

@ObjectType({ description: 'One part of a reply.' })
export class ReplyPart {
  @Field(() => Int, { description: 'Increases with each part of the reply. Numbers may be skipped.' })
  sequence!: number;

  @Field(() => ID, { description: 'The conversation of the reply.' })
  conversationId!: string;

  @Field(() => String, {
    description: 'Identifies the visitor in later requests. Keep it secret: it gives access to the conversation.',
  })
  visitorId!: string;

  @Field(() => enumTypes.IdentityStatus, { description: 'The result of the identity token of the request.' })
  identityStatus!: EnumValue<'IdentityStatus'>;

  @Field(() => ID)
  messageId!: string;

  @Field(() => UIMessageChunkScalar)
  part!: Chunk;
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
