import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, ID, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { args, field } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ToolRequest } from '../tools/entity.ts';

@ObjectType({ description: 'The audit record of one call of a tool by the model. Dry runs have none.' })
@Entity({ schema: 'agent', tableName: 'tool_calls' })
export class ToolCall extends Owned {
  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The tool may have been deleted since.' })
  toolId: string | null = null;

  @FieldProperty({ type: 'string', length: 64, description: 'The name of the tool at the time of the call.' })
  toolName!: string;

  @FieldProperty({ type: 'uuid', nullable: true })
  conversationId: string | null = null;

  @FieldProperty(() => enumTypes.ToolCallStatus, { type: 'string' })
  status: Opt<EnumValue<'ToolCallStatus'>> = 'running';

  @FieldProperty({ type: 'integer', nullable: true, description: 'The HTTP status of the receiver; null if it did not answer.' })
  responseStatus: number | null = null;

  @FieldProperty({ type: 'integer', nullable: true, description: 'Duration of the call in milliseconds; null while it runs.' })
  durationMs: number | null = null;

  @FieldProperty(() => ToolRequest, {
    type: 'json',
    nullable: true,
    description: 'Null if the parameters do not make a valid request.',
  })
  request: ToolRequest | null = null;

  @FieldProperty({ type: 'text', nullable: true, description: 'The reason why the call failed.' })
  error: string | null = null;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The approval of the call; null if it needed none.' })
  approvalId: string | null = null;

  @FieldProperty({ type: 'datetime', description: 'When the call started.' })
  createdAt: Opt<Date> = clock.now();
}

@ArgsType()
export class ToolCallArguments extends args(pageArguments(50), {
  toolId: field(ID, { nullable: true, description: 'Only calls of this tool.' }),
  conversationId: field(ID, { nullable: true, description: 'Only calls in this conversation.' }),
  status: field(enumTypes.ToolCallStatus, { nullable: true, description: 'Only calls with this status.' }),
}) {}

@ObjectType({ description: 'One page of the tool calls of an agent.' })
export class ToolCallPage extends PageOf(ToolCall, 'ToolCallPage') {}
