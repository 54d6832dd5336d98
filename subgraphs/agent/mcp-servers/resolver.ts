import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Tool } from '../tools/entity.ts';
import { DeletedMcpServer, McpServer, McpServerChange, McpTool, NewMcpServer, NewMcpTool } from './entity.ts';
import * as remote from './remote-tools.ts';
import * as servers from './service.ts';

@Access('admin')
@Resolver(() => McpServer)
export class McpServerResolver {
  @ListSize(20)
  @Query(() => [McpServer], { nullable: true, description: 'All MCP servers of an agent, sorted by name.' })
  mcpServers(@Ctx() scope: RequestScope, @Id('agentId') agentId: string) {
    return servers.listServers(scope, agentId);
  }

  @ListSize(100)
  @Query(() => [McpTool], { nullable: true, description: 'The tools that an MCP server offers now, up to 500.' })
  mcpTools(@Ctx() scope: RequestScope, @Id('serverId') serverId: string) {
    return remote.listRemoteTools(scope, serverId);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => McpServer, {
    description: 'Add an MCP server to an agent, which can have up to 20. None of its tools is chosen yet.',
  })
  createMcpServer(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Arg('input', () => NewMcpServer) input: NewMcpServer,
  ) {
    return servers.createServer(scope, agentId, input);
  }

  @Mutation(() => McpServer, { description: 'Change an MCP server. Omitted fields stay unchanged.' })
  updateMcpServer(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => McpServerChange) input: McpServerChange) {
    return servers.updateServer(scope, id, input);
  }

  @Mutation(() => DeletedMcpServer, { description: 'Delete an MCP server with its chosen tools.' })
  deleteMcpServer(@Ctx() scope: RequestScope, @Id() id: string) {
    return servers.deleteServer(scope, id);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => Tool, {
    description: 'Choose a tool of an MCP server for its agent. The tool keeps the description and schema of this moment.',
  })
  createMcpTool(@Ctx() scope: RequestScope, @Id('serverId') serverId: string, @Arg('input', () => NewMcpTool) input: NewMcpTool) {
    return remote.chooseTool(scope, serverId, input);
  }

  @Mutation(() => McpServer, {
    description:
      'Read the schemas of the chosen tools again, and disable tools that the server no longer offers. Descriptions stay.',
  })
  refreshMcpTools(@Ctx() scope: RequestScope, @Id('serverId') serverId: string) {
    return remote.refreshTools(scope, serverId);
  }
}
