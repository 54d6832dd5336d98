import { Arg, Args, Authorized, Ctx, ID, Query, Resolver } from 'type-graphql';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { ToolCall, ToolCallArguments, ToolCallPage } from './entity.ts';
import * as toolCalls from './service.ts';

@Resolver(() => ToolCall)
export class ToolCallResolver {
  @Authorized('admin')
  @Query(() => ToolCallPage, {
    description: 'The audit records of the tool calls of an agent, newest first. Records are deleted after 90 days.',
  })
  toolCalls(
    @Ctx() scope: RequestScope,
    @Arg('agentId', () => ID) agentId: string,
    @Args(() => ToolCallArguments) filter: ToolCallArguments,
  ) {
    return toolCalls.listCalls(scope, agentId, filter);
  }
}
