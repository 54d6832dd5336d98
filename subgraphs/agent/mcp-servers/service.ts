import { wrap } from '@mikro-orm/postgresql';
import { clock, deleteById, findById, lockName, query, readById, readRows, sql } from '../../../platform/database/index.ts';
import { refuseFaults } from '../../../platform/fields/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { lockAgent, requireAgent } from '../agents/service.ts';
import { withDefaults } from '../null-defaults.ts';
import { holdSecrets } from '../secrets/service.ts';
import { checkEndpoint, headerFaults, texts } from '../tools/service.ts';
import { secretsOf } from '../tools/templates.ts';
import { McpServer, type McpServerChange, type NewMcpServer } from './entity.ts';

const MAX_SERVERS = 20;
/** Name of the record in error messages. */
export const KIND = 'MCP server';

/** All MCP servers of an agent, sorted by name. Throws `NOT_FOUND` if the agent does not exist. */
export async function listServers(scope: Scope, agentId: string): Promise<McpServer[]> {
  await requireAgent(scope, agentId);
  return readRows(scope, McpServer, { where: { agentId }, orderBy: { name: 'asc' } }, { limit: MAX_SERVERS, offset: 0 });
}

/** Throws `NOT_FOUND`. */
export const findServer = (scope: Scope, id: string): Promise<McpServer> => readById(scope, McpServer, id, KIND);

/** Throws `CONFLICT` if the agent has a server with this name. */
export async function createServer(scope: RequestScope, agentId: string, input: NewMcpServer): Promise<McpServer> {
  const settings = readServer(input);
  await requireAgent(scope, agentId);
  // Fails before the DNS lookup. The transaction repeats the check, because only its lock keeps the count and the name valid.
  await requireRoom(scope, agentId, input.name);
  await checkEndpoint(scope, input.url, 'url');
  return scope.write(async (inner) => {
    await lockAgent(inner, agentId);
    await lockName(inner.em, lockOf(agentId));
    await requireRoom(inner, agentId, input.name);
    const server = Object.assign(new McpServer(), settings, { agentId, organizationId: inner.organizationId });
    await holdSecrets(inner, server.secretNames);
    inner.em.persist(server);
    return server;
  });
}

/** Throws `NOT_FOUND`, or `CONFLICT` if the new name is taken. The chosen tools use the new settings. */
export async function updateServer(scope: Scope, id: string, change: McpServerChange): Promise<McpServer> {
  const settings = readServer(change);
  const { agentId, name, url } = await findServer(scope, id);
  if (settings.name && settings.name !== name) await requireFreeName(scope, agentId, settings.name);
  if (settings.url && settings.url !== url) await checkEndpoint(scope, settings.url, 'url');
  return transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    await lockAgent(inner, agentId);
    await lockName(inner.em, lockOf(agentId));
    const server = await findById(em, McpServer, id, KIND);
    if (settings.name && settings.name !== server.name) await requireFreeName(inner, agentId, settings.name);
    wrap(server).assign(settings, { mergeObjectProperties: false });
    server.updatedAt = clock.now();
    await holdSecrets(inner, server.secretNames);
    await em.flush();
    await query(
      em,
      sql`update agent.tools set endpoint_url = ${server.url} where mcp_server_id = ${id} and organization_id = ${organizationId}`,
    );
    return server;
  });
}

/** Deletes a server with the chosen tools. Throws `NOT_FOUND`. */
export async function deleteServer(scope: Scope, id: string) {
  const { agentId } = await findServer(scope, id);
  return transaction(scope, async (inner) => {
    await lockAgent(inner, agentId);
    return deleteById(inner.em, McpServer, id, KIND);
  });
}

function readServer({ headersTemplate, ...change }: McpServerChange): Partial<McpServer> {
  refuseFaults(faultsOf({ headersTemplate, ...change }));
  const settings = withDefaults({ ...change, headersTemplate: headersTemplate && texts(headersTemplate) }, new McpServer());
  if (settings.headersTemplate) settings.secretNames = secretsOf(Object.values(settings.headersTemplate));
  return settings;
}

function* faultsOf(change: McpServerChange): Generator<string> {
  for (const name of ['name', 'url'] as const) if (change[name] === null) yield `${name} must not be null`;
  if (typeof change.url === 'string' && (change.url.includes('{{') || !/^https?:/.test(change.url) || !URL.canParse(change.url)))
    yield 'url must be an http or https URL';
  if (!change.headersTemplate) return;
  yield* headerFaults(change.headersTemplate);
  if (Object.values(change.headersTemplate).some((value) => /\{\{\s*params/.test(String(value))))
    yield 'headersTemplate of an MCP server must not have {{params}} placeholders';
}

const lockOf = (agentId: string) => `MCP servers of ${agentId}`;

async function requireRoom(scope: Scope, agentId: string, name: string): Promise<void> {
  await requireFreeName(scope, agentId, name);
  if ((await scope.em.count(McpServer, { agentId })) >= MAX_SERVERS)
    throw fail('UNPROCESSABLE', `An agent has at most ${MAX_SERVERS} MCP servers.`);
}

async function requireFreeName({ em }: Scope, agentId: string, name: string): Promise<void> {
  if (await em.count(McpServer, { agentId, name })) throw fail('CONFLICT', `An MCP server with the name ${name} already exists.`);
}
