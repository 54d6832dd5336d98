import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ToolRequest } from '../tools/types.ts';

@ObjectType({ description: 'The audit record of one call of a tool by the model. Dry runs have none.' })
@Entity({ schema: 'agent', tableName: 'tool_calls' })
export class ToolCall extends Owned {
  @Field(() => ID)
  @Property({ type: 'uuid' })
  agentId!: string;

  @Field(() => ID, { nullable: true, description: 'The tool may have been deleted since.' })
  @Property({ type: 'uuid', nullable: true })
  toolId: string | null = null;

  @Field(() => String, { description: 'The name of the tool at the time of the call.' })
  @Property({ type: 'string', length: 64 })
  toolName!: string;

  @Field(() => ID, { nullable: true })
  @Property({ type: 'uuid', nullable: true })
  conversationId: string | null = null;

  @Field(() => enumTypes.ToolCallStatus)
  @Property({ type: 'string' })
  status: Opt<EnumValue<'ToolCallStatus'>> = 'running';

  @Field(() => Int, { nullable: true, description: 'The HTTP status of the receiver; null if it did not answer.' })
  @Property({ type: 'integer', nullable: true })
  responseStatus: number | null = null;

  @Field(() => Int, { nullable: true, description: 'Duration of the call in milliseconds; null while it runs.' })
  @Property({ type: 'integer', nullable: true })
  durationMs: number | null = null;

  @Field(() => ToolRequest, { nullable: true, description: 'Null if no request could be made of the parameters.' })
  @Property({ type: 'json', nullable: true })
  request: ToolRequest | null = null;

  @Field(() => String, { nullable: true, description: 'The reason why the call failed.' })
  @Property({ type: 'text', nullable: true })
  error: string | null = null;

  @Field(() => Date, { description: 'When the call started.' })
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ArgsType()
export class ToolCallArguments extends pageArguments(50) {
  @Field(() => ID, { nullable: true, description: 'Only calls of this tool.' })
  toolId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only calls in this conversation.' })
  conversationId?: string | null;

  @Field(() => enumTypes.ToolCallStatus, { nullable: true, description: 'Only calls with this status.' })
  status?: EnumValue<'ToolCallStatus'> | null;
}

@ObjectType({ description: 'One page of the tool calls of an agent.' })
export class ToolCallPage extends PageOf(ToolCall, 'ToolCallPage') {}
