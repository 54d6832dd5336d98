import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { type Limit, Limited } from '../../../platform/input/index.ts';
import { isObject } from '../../../schema/json.ts';
import { MAX_PARTS } from '../../../schema/scalar-schemas.ts';
import type { Chunk } from './chunks.ts';
import { UIMessageChunkScalar, UIMessageScalar } from './scalars.ts';

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
    description: 'Only the last message with the role `user` is read. The stored conversation replaces the others.',
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

  @Limited(SEQUENCE)
  @Field(() => Int, {
    defaultValue: 0,
    description: 'The last `sequence` that the client received, to resume a subscription.',
  })
  after!: number;
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
  @Field(() => Int, { description: 'Grows with each part of the reply; numbers may be skipped.' })
  sequence!: number;

  @Field(() => ID, { description: 'The conversation of the reply.' })
  conversationId!: string;

  @Field(() => String, {
    description: 'Identifies the visitor in later requests. Keep it secret: it gives access to the conversation.',
  })
  visitorId!: string;

  @Field(() => ID)
  messageId!: string;

  @Field(() => UIMessageChunkScalar)
  part!: Chunk;
}
