import { wrap } from '@mikro-orm/postgresql';
import { clock, deleteById, findById, lockName, readById, readRows } from '../../../platform/database/index.ts';
import { requireReachable } from '../../../platform/outbound/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { isObject } from '../../../schema/json.ts';
import { holdAgent, requireAgent } from '../agents/service.ts';
import { holdSecrets } from '../secrets/uses.ts';
import { MAX_TOOLS } from './callable.ts';
import { compute } from './compute.ts';
import { fixedHost } from './domains.ts';
import { Tool } from './entity.ts';
import { prepareCall } from './run.ts';
import { checkTool, readSettings } from './settings.ts';
import { ToolFault } from './templates.ts';
import type { NewTool, ToolChange, ToolTest } from './types.ts';

/** All tools of an agent, sorted by name. Throws `NOT_FOUND` if the agent does not exist. */
export async function listTools(scope: Scope, agentId: string): Promise<Tool[]> {
  await requireAgent(scope, agentId);
  return readRows(scope, Tool, { where: { agentId }, orderBy: { name: 'asc' } }, { limit: MAX_TOOLS, offset: 0 });
}

/** Batches the tools of a list of agents into one query. */
export async function toolsOf(scope: RequestScope, agentId: string): Promise<Tool[]> {
  const read = scope.batch('agent tools', async (ids) => {
    const found = await readRows(scope, Tool, { where: { agentId: ids }, orderBy: { name: 'asc' } });
    return Map.groupBy(found, (tool) => tool.agentId);
  });
  return (await read(agentId)) ?? [];
}

/** Throws `NOT_FOUND`. */
export async function findTool(scope: Scope, agentId: string, id: string): Promise<Tool> {
  await requireAgent(scope, agentId);
  return readById(scope, Tool, id, 'Tool', { where: { agentId } });
}

/** Throws `CONFLICT` if the agent has a tool with this name. */
export async function createTool(scope: RequestScope, agentId: string, input: NewTool): Promise<Tool> {
  await requireAgent(scope, agentId);
  const tool = Object.assign(new Tool(), readSettings(input));
  tool.secretNames = checkTool(tool);
  // Fails before the DNS lookup. `addTool` repeats the check under a lock.
  await requireRoom(scope, agentId, tool.name);
  if (input.inputSchema) await requireUsable(scope, input.inputSchema);
  await checkEndpoint(scope, tool.endpointUrl);
  return scope.write((inner) => addTool(inner, agentId, tool));
}

/** Add a checked tool in the transaction of the scope. Throws `CONFLICT` if the name is taken. */
export async function addTool(scope: Scope, agentId: string, tool: Tool): Promise<Tool> {
  const { em, organizationId } = scope;
  await lockTools(scope, agentId);
  await requireRoom(scope, agentId, tool.name);
  await holdSecrets(scope, tool.secretNames);
  Object.assign(tool, { agentId, organizationId });
  em.persist(tool);
  return tool;
}

/** Throws `NOT_FOUND`, or `CONFLICT` if the new name is taken. */
export async function updateTool(scope: Scope, agentId: string, id: string, change: ToolChange): Promise<Tool> {
  const settings = readSettings(change);
  const known = await findTool(scope, agentId, id);
  if (known.mcpServerId !== null) refuseRemoteSettings(settings);
  const { endpointUrl } = settings;
  if (settings.name && settings.name !== known.name) await requireFreeName(scope.em, agentId, settings.name);
  if (change.inputSchema) await requireUsable(scope, change.inputSchema);
  if (endpointUrl && endpointUrl !== known.endpointUrl) await checkEndpoint(scope, endpointUrl);
  return transaction(scope, async (inner) => {
    const { em } = inner;
    await lockTools(inner, agentId);
    const tool = await findById(em, Tool, id, 'Tool', { where: { agentId } });
    if (settings.name && settings.name !== tool.name) await requireFreeName(em, agentId, settings.name);
    wrap(tool).assign(settings, { mergeObjectProperties: false });
    tool.updatedAt = clock.now();
    if (tool.mcpServerId === null) tool.secretNames = checkTool(tool);
    await holdSecrets(inner, tool.secretNames);
    await em.flush();
    return tool;
  });
}

/** Throws `NOT_FOUND`. */
export async function deleteTool(scope: Scope, agentId: string, id: string) {
  await requireAgent(scope, agentId);
  return deleteById(scope.em, Tool, id, 'Tool', { agentId });
}

/** Call a tool without an audit record. The parameters are `input`, or its only key `params`. */
export async function testTool(scope: Scope, agentId: string, id: string, input: Record<string, unknown>): Promise<ToolTest> {
  const tool = await findTool(scope, agentId, id);
  const prepared = await prepareCall(scope, tool, paramsOf(input, tool));
  if ('error' in prepared) return { request: null, response: null, result: null, error: prepared.error };
  return { request: prepared.request, ...(await prepared.send(scope.signal)) };
}

function paramsOf(input: Record<string, unknown>, { inputSchema: { properties } }: Tool): unknown {
  const isWrapped = Object.keys(input).length === 1 && isObject(input.params);
  const isParameter = isObject(properties) && Object.hasOwn(properties, 'params');
  return isWrapped && !isParameter ? input.params : input;
}

/** Keep an agent, the number of its tools and their names valid until the commit. */
export async function lockTools(scope: Scope, agentId: string): Promise<void> {
  await holdAgent(scope, agentId);
  await lockName(scope.em, `tools of ${agentId}`);
}

/** Throws `CONFLICT` if the agent has a tool with this name, and `UNPROCESSABLE` at its limit. */
export async function requireRoom({ em }: Scope, agentId: string, name: string): Promise<void> {
  await requireFreeName(em, agentId, name);
  if ((await em.count(Tool, { agentId })) >= MAX_TOOLS) throw fail('UNPROCESSABLE', `An agent has at most ${MAX_TOOLS} tools.`);
}

async function requireFreeName(em: Scope['em'], agentId: string, name: string): Promise<void> {
  if (await em.count(Tool, { agentId, name })) throw fail('CONFLICT', `A tool with the name ${name} already exists`);
}

/** Settings of a tool of an MCP server that its owner may change. */
const OWN_SETTINGS: readonly string[] = ['name', 'description', 'enabled', 'timeoutMs', 'responseMapping'];

function refuseRemoteSettings(settings: Partial<Tool>): void {
  const [remote] = Object.keys(settings).filter((key) => !OWN_SETTINGS.includes(key));
  if (remote) throw fail('INVALID_INPUT', `${remote} is defined by the MCP server of the tool`);
}

async function requireUsable(scope: Scope, schema: Record<string, unknown>): Promise<void> {
  const fault = await unusable(scope, schema);
  if (fault) throw fail('INVALID_INPUT', fault);
}

/** The reason why a schema cannot be used, or undefined. */
export function unusable(scope: Scope, schema: Record<string, unknown>): Promise<string | undefined> {
  return compute(scope, 'checkSchema', { schema }).catch((error: unknown) => {
    if (error instanceof ToolFault) return `inputSchema cannot be used: ${error.message}`;
    throw error;
  });
}

/** Reject an endpoint that no call may reach. A host that contains placeholders is checked by each call. */
export async function checkEndpoint(scope: Scope, url: string, field = 'endpointUrl'): Promise<void> {
  if (fixedHost(url) !== undefined) await requireReachable(scope, url.replace(/\{\{[^{}]*\}\}/g, 'x'), field);
}
