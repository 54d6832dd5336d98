import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { ToolCall } from './entity.ts';

@ArgsType()
export class ToolCallArguments extends pageArguments(50) {
  @Field(() => ID, { nullable: true, description: 'Only calls of this tool.' })
  toolId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only calls in this conversation.' })
  conversationId?: string | null;

  @Field(() => wordTypes.ToolCallStatus, { nullable: true, description: 'Only calls with this status.' })
  status?: Word<'ToolCallStatus'> | null;
}

@ObjectType({ description: 'One page of the tool calls of an agent.' })
export class ToolCallPage extends PageOf(ToolCall, 'ToolCallPage') {}
