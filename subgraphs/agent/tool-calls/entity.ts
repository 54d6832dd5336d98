import { ID, ObjectType } from 'type-graphql';
import { clock, column, columns, Owned, Table } from '../../../platform/database/index.ts';
import { args, field } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ToolRequest } from '../tools/entity.ts';

@ObjectType({ description: 'The audit record of one call of a tool by the model. Dry runs have none.' })
@Table('agent.tool_calls')
export class ToolCall extends columns(Owned, {
  agentId: column('uuid'),
  toolId: column('uuid', { nullable: true, description: 'The tool may have been deleted since.' }),
  toolName: column('string', { length: 64, description: 'The name of the tool at the time of the call.' }),
  conversationId: column('uuid', { nullable: true }),
  status: column(enumTypes.ToolCallStatus, { initial: 'running' }),
  responseStatus: column('integer', { nullable: true, description: 'The HTTP status of the receiver; null if it did not answer.' }),
  durationMs: column('integer', { nullable: true, description: 'Duration of the call in milliseconds; null while it runs.' }),
  request: column(ToolRequest, {
    type: 'json',
    nullable: true,
    description: 'Null if the parameters do not make a valid request.',
  }),
  error: column('text', { nullable: true, description: 'The reason why the call failed.' }),
  approvalId: column('uuid', { nullable: true, description: 'The approval of the call; null if it needed none.' }),
  createdAt: column('datetime', { initial: clock.now, description: 'When the call started.' }),
}) {}

export class ToolCallArguments extends args(pageArguments(50), {
  toolId: field(ID, { nullable: true, description: 'Only calls of this tool.' }),
  conversationId: field(ID, { nullable: true, description: 'Only calls in this conversation.' }),
  status: field(enumTypes.ToolCallStatus, { nullable: true, description: 'Only calls with this status.' }),
}) {}

@ObjectType({ description: 'One page of the tool calls of an agent.' })
export class ToolCallPage extends PageOf(ToolCall, 'ToolCallPage') {}
