import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Tool } from '../tools/entity.ts';
import { DeletedMcpServer, McpServer, McpServerChange, McpTool, NewMcpServer, NewMcpTool } from './entity.ts';
import * as remote from './remote-tools.ts';
import * as servers from './service.ts';

@Resolver(() => McpServer)
export class McpServerResolver {
  @Authorized('admin')
  @ListSize(20)
  @Query(() => [McpServer], { nullable: true, description: 'All MCP servers of an agent, sorted by name.' })
  mcpServers(@Ctx() scope: RequestScope, @Arg('agentId', () => ID) agentId: string) {
    return servers.listServers(scope, agentId);
  }

  @Authorized('admin')
  @ListSize(100)
  @Query(() => [McpTool], { nullable: true, description: 'The tools that an MCP server offers now, up to 500.' })
  mcpTools(@Ctx() scope: RequestScope, @Arg('serverId', () => ID) serverId: string) {
    return remote.listRemoteTools(scope, serverId);
  }

  @Authorized('admin')
  @Idempotent({ prepares: true })
  @Mutation(() => McpServer, {
    description: 'Add an MCP server to an agent, which can have up to 20. None of its tools is chosen yet.',
  })
  createMcpServer(
    @Ctx() scope: RequestScope,
    @Arg('agentId', () => ID) agentId: string,
    @Arg('input', () => NewMcpServer) input: NewMcpServer,
  ) {
    return servers.createServer(scope, agentId, input);
  }

  @Authorized('admin')
  @Mutation(() => McpServer, { description: 'Change an MCP server. Omitted fields stay unchanged.' })
  updateMcpServer(
    @Ctx() scope: RequestScope,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => McpServerChange) input: McpServerChange,
  ) {
    return servers.updateServer(scope, id, input);
  }

  @Authorized('admin')
  @Mutation(() => DeletedMcpServer, { description: 'Delete an MCP server with its chosen tools.' })
  deleteMcpServer(@Ctx() scope: RequestScope, @Arg('id', () => ID) id: string) {
    return servers.deleteServer(scope, id);
  }

  @Authorized('admin')
  @Idempotent({ prepares: true })
  @Mutation(() => Tool, {
    description: 'Choose a tool of an MCP server for its agent. The tool keeps the description and schema of this moment.',
  })
  createMcpTool(
    @Ctx() scope: RequestScope,
    @Arg('serverId', () => ID) serverId: string,
    @Arg('input', () => NewMcpTool) input: NewMcpTool,
  ) {
    return remote.chooseTool(scope, serverId, input);
  }

  @Authorized('admin')
  @Mutation(() => McpServer, {
    description:
      'Read the schemas of the chosen tools again, and disable tools that the server no longer offers. Descriptions stay.',
  })
  refreshMcpTools(@Ctx() scope: RequestScope, @Arg('serverId', () => ID) serverId: string) {
    return remote.refreshTools(scope, serverId);
  }
}
