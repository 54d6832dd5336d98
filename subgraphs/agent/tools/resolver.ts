import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Agent } from '../agents/entity.ts';
import { DeletedTool, NewTool, Tool, ToolChange, ToolTest } from './entity.ts';
import { effectOf, isUnprotected } from './policy.ts';
import * as tools from './service.ts';
import { domainsOf } from './tool-request.ts';

@Access('admin')
@Resolver(() => Tool)
export class ToolResolver {
  @ListSize(50)
  @Query(() => [Tool], { nullable: true, description: 'All tools of an agent, sorted by name.' })
  tools(@Ctx() scope: RequestScope, @Id('agentId') agentId: string) {
    return tools.listTools(scope, agentId);
  }

  @Query(() => Tool, { nullable: true, description: 'One tool of an agent by id.' })
  tool(@Ctx() scope: RequestScope, @Id('agentId') agentId: string, @Id() id: string) {
    return tools.findTool(scope, agentId, id);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => Tool, { description: 'Create a tool. An agent can have up to 100.' })
  createTool(@Ctx() scope: RequestScope, @Id('agentId') agentId: string, @Arg('input', () => NewTool) input: NewTool) {
    return tools.createTool(scope, agentId, input);
  }

  @Mutation(() => Tool, {
    description:
      'Change a tool. Omitted fields stay unchanged. A tool of an MCP server takes `name`, `description`, `enabled`, `timeoutMs` and `responseMapping` only.',
  })
  updateTool(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Id() id: string,
    @Arg('input', () => ToolChange) input: ToolChange,
  ) {
    return tools.updateTool(scope, agentId, id, input);
  }

  @Mutation(() => DeletedTool, { description: 'Delete a tool. The audit records of its calls stay.' })
  deleteTool(@Ctx() scope: RequestScope, @Id('agentId') agentId: string, @Id() id: string) {
    return tools.deleteTool(scope, agentId, id);
  }

  @Mutation(() => ToolTest, {
    description:
      'Call a tool as the model would, without an audit record. The receiver gets a real request, also for a disabled tool.',
  })
  testTool(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Id() id: string,
    @Arg('input', () => GraphQLJSONObject, { description: 'The parameters, at the top level or under `params`.' })
    input: Record<string, unknown>,
  ) {
    return tools.testTool(scope, agentId, id, input);
  }

  @Mutation(() => ToolTest, {
    description:
      'Show the request that a call of a tool would send, with names such as `visitor.id` for values of the visitor. Sends nothing.',
  })
  previewTool(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Id() id: string,
    @Arg('input', () => GraphQLJSONObject, { description: 'The parameters, at the top level or under `params`.' })
    input: Record<string, unknown>,
  ) {
    return tools.previewTool(scope, agentId, id, input);
  }

  @FieldResolver(() => [String], {
    description: 'Hosts that the tool may call; `.example.com` stands for the subdomains of `example.com`.',
  })
  allowedDomains(@Root() tool: Tool): string[] {
    return domainsOf(tool);
  }

  @FieldResolver(() => Boolean, { description: 'Whether a call may change something.' })
  writes(@Root() tool: Tool): boolean {
    return effectOf(tool) === 'write';
  }

  @FieldResolver(() => Boolean, { description: 'Whether the tool writes without an approval.' })
  async unprotected(@Ctx() scope: RequestScope, @Root() tool: Tool): Promise<boolean> {
    const agent = await scope.within(tool.organizationId).load(Agent, tool.agentId);
    return agent ? isUnprotected(tool, agent) : false;
  }
}

@Resolver(() => Agent)
export class AgentToolsResolver {
  @ListSize(10)
  @FieldResolver(() => [Tool], { description: 'The tools of the agent, sorted by name.' })
  tools(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Agent): Promise<Tool[]> {
    return tools.toolsOf(scope.within(organizationId), id);
  }
}
