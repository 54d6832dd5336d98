import { LockMode } from '@mikro-orm/postgresql';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { findById, readRows } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { OutboundRefused } from '../../../platform/outbound/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { lockAgent } from '../agents/service.ts';
import { resolveServer } from '../tools/call-request.ts';
import { compute } from '../tools/compute.ts';
import { Tool } from '../tools/entity.ts';
import { isOpenByOwner } from '../tools/policy.ts';
import { addTool, lockTools, requireRoom, unusable } from '../tools/service.ts';
import { ToolFault } from '../tools/templates.ts';
import type { RemoteTool } from './answers.ts';
import { DeletedMcpServer, McpServer, McpServerChange, McpTool, NewMcpServer, NewMcpTool } from './entity.ts';
import { type Ask, withSession } from './mcp-session.ts';
import * as servers from './service.ts';
import { findServer, KIND } from './service.ts';

const [MAX_REMOTE, MAX_PAGES] = [500, 20];

/** The tools that a server offers now. Throws `UNPROCESSABLE` if it cannot be used. */
export async function listRemoteTools(scope: Scope, serverId: string): Promise<McpTool[]> {
  const server = await findServer(scope, serverId);
  const [remote, chosen] = await Promise.all([
    readRemote(scope, server),
    readRows(scope, Tool, { where: { mcpServerId: serverId } }),
  ]);
  return remote.map(({ fault = null, ...each }) => ({
    ...each,
    fault,
    tool: chosen.find(({ remoteName }) => remoteName === each.name) ?? null,
  }));
}

/** Choose a tool of a server. Throws `NOT_FOUND`, or `CONFLICT` if it or its name is taken. */
async function chooseTool(scope: RequestScope, serverId: string, { remoteName, name }: NewMcpTool): Promise<Tool> {
  const server = await findServer(scope, serverId);
  const local = name ?? localName(remoteName);
  // Fails before the request to the server. The transaction repeats both checks.
  await requireNotChosen(scope, serverId, remoteName);
  await requireRoom(scope, server.agentId, local);
  const remote = (await readRemote(scope, server)).find((each) => each.name === remoteName);
  if (!remote) throw fail('NOT_FOUND', 'The MCP server has no tool with this name.');
  const { description, inputSchema, destructive } = remote;
  const fault = remote.fault ?? (await unusable(scope, inputSchema));
  if (fault) throw fail('UNPROCESSABLE', `The tool cannot be used: ${fault}`);
  return scope.write(async (inner) => {
    await lockTools(inner, server.agentId);
    await requireNotChosen(inner, serverId, remoteName);
    // Locked, because a change of the server also changes its chosen tools.
    const { url, timeoutMs } = await findById(inner.em, McpServer, serverId, KIND, { lockMode: LockMode.PESSIMISTIC_READ });
    const tool = Object.assign(new Tool(), {
      name: local,
      mcpServerId: serverId,
      remoteName,
      description,
      inputSchema,
      destructive,
      endpointUrl: url,
      timeoutMs,
    });
    return addTool(inner, server.agentId, tool);
  });
}

async function requireNotChosen({ em }: Scope, mcpServerId: string, remoteName: string): Promise<void> {
  if (await em.count(Tool, { mcpServerId, remoteName })) throw fail('CONFLICT', `The tool ${remoteName} is already chosen.`);
}

/**
 * Read the schemas of the chosen tools again. Tools that the server no longer offers, or whose schema cannot be used, are disabled.
 * Descriptions stay, because a server must not change what the owner approved for the model.
 */
async function refreshTools(scope: Scope, serverId: string): Promise<McpServer> {
  const server = await findServer(scope, serverId);
  const remote = new Map((await readRemote(scope, server)).map((each) => [each.name, each]));
  const chosen = await readRows(scope, Tool, { where: { mcpServerId: serverId } });
  const usable = new Map<string, Pick<RemoteTool, 'inputSchema' | 'destructive'>>();
  for (const { id, remoteName } of chosen) {
    const offered = remote.get(remoteName!);
    if (offered && !offered.fault && !(await unusable(scope, offered.inputSchema))) usable.set(id, offered);
  }
  const isCurrent = await transaction(scope, async (inner) => {
    const { em } = inner;
    await lockAgent(inner, server.agentId);
    // Locked like a change of the server, which also changes its chosen tools.
    const current = await em.findOne(McpServer, serverId, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (current?.url !== server.url) return false;
    for (const tool of await em.find(Tool, { id: { $in: chosen.map(({ id }) => id) } })) {
      const offered = usable.get(tool.id);
      if (offered) change(tool, offered);
      else tool.enabled = false;
    }
    await em.flush();
    return true;
  });
  // The tools of another URL say nothing about those of the current one.
  return isCurrent ? server : refreshTools(scope, serverId);
}

/** A server can only make its tools stricter. A tool that only read before asks for approval from now on, unless its owner
 * confirms again that it needs none. */
function change(tool: Tool, { inputSchema, destructive }: Pick<RemoteTool, 'inputSchema' | 'destructive'>): void {
  const wasOpen = isOpenByOwner(tool);
  Object.assign(tool, { inputSchema, destructive: tool.destructive || destructive });
  if (isOpenByOwner(tool) && !wasOpen) tool.approval = null;
}

async function readRemote(scope: Scope, server: McpServer): Promise<RemoteTool[]> {
  const resolved = await resolveServer(scope, server).catch((error: unknown) => refuse(error, (text) => text));
  const { masker } = resolved;
  try {
    return await withSession(scope, resolved, scope.signal, (ask) => listAll(scope, ask, masker.secrets));
  } catch (error) {
    return refuse(error, (text) => masker.mask(text));
  }
}

async function listAll(scope: Scope, ask: Ask, secrets: readonly string[]): Promise<RemoteTool[]> {
  const found: RemoteTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < MAX_REMOTE; page += 1) {
    const text = await ask('tools/list', cursor === undefined ? {} : { cursor });
    const { tools, nextCursor } = await compute(scope, 'readToolPage', { text, limit: MAX_REMOTE - found.length, secrets });
    found.push(...tools);
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return found;
}

/** The server may return the secrets of its headers in a message. */
function refuse(error: unknown, mask: (text: string) => string): never {
  if (error instanceof ToolFault || error instanceof OutboundRefused) throw fail('UNPROCESSABLE', mask(error.message));
  throw error;
}

/** The name of a remote tool in the form that model providers accept. */
function localName(remoteName: string): string {
  const name = remoteName
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_$/g, '');
  return name.slice(0, 64) || 'tool';
}

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
    return listRemoteTools(scope, serverId);
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
    return chooseTool(scope, serverId, input);
  }

  @Mutation(() => McpServer, {
    description:
      'Read the schemas of the chosen tools again, and disable tools that the server no longer offers. Descriptions stay.',
  })
  refreshMcpTools(@Ctx() scope: RequestScope, @Id('serverId') serverId: string) {
    return refreshTools(scope, serverId);
  }
}
