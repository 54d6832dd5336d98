import { Args, Authorized, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Approval } from '../approvals/entity.ts';
import { ToolCall, ToolCallArguments, ToolCallPage } from './entity.ts';
import * as toolCalls from './service.ts';

@Resolver(() => ToolCall)
export class ToolCallResolver {
  @Authorized('admin')
  @Query(() => ToolCallPage, {
    nullable: true,
    description: 'The audit records of the tool calls of an agent, newest first. Records are deleted after 90 days.',
  })
  toolCalls(@Ctx() scope: RequestScope, @Id('agentId') agentId: string, @Args(() => ToolCallArguments) filter: ToolCallArguments) {
    return toolCalls.listCalls(scope, agentId, filter);
  }

  @FieldResolver(() => Approval, {
    nullable: true,
    description: 'The approval with which the call was sent; null if it needed none.',
  })
  approval(@Ctx() scope: RequestScope, @Root() { approvalId, organizationId }: ToolCall) {
    return approvalId && scope.within(organizationId).load(Approval, approvalId);
  }
}
