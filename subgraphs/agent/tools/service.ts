import { wrap } from '@mikro-orm/postgresql';
import { clock, deleteById, findById, lockName, readById, readRows } from '../../../platform/database/index.ts';
import { refuseFaults } from '../../../platform/fields/index.ts';
import { isReservedHeader, requireReachable } from '../../../platform/outbound/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { isObject } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import { lockAgent, requireAgent } from '../agents/service.ts';
import { withDefaults } from '../null-defaults.ts';
import { holdSecrets } from '../secrets/service.ts';
import { prepareCall } from './call-request.ts';
import { MAX_TOOLS } from './callable.ts';
import { compute } from './compute.ts';
import { type NewResponseMapping, type NewTool, type ResponseMapping, Tool, type ToolChange, type ToolTest } from './entity.ts';
import { isOpenByOwner } from './policy.ts';
import { IS_LATIN_1, namesVisitor, parseTemplate, secretsOf, ToolFault, unknownPlaceholders } from './templates.ts';
import { bodyKind, canonicalDomain, domainsOf, fixedHost, isAllowedHost, isJsonTemplate } from './tool-request.ts';
import { mappingFaults, TRUNCATE_CHARS } from './tool-response.ts';

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
  requireConfirmed(tool, input);
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
    const wasOpen = isOpenByOwner(tool);
    wrap(tool).assign(settings, { mergeObjectProperties: false });
    requireConfirmed(tool, change, wasOpen);
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
  return transaction(scope, async (inner) => {
    await lockAgent(inner, agentId);
    return deleteById(inner.em, Tool, id, 'Tool', { agentId });
  });
}

/** Call a tool without an audit record. The parameters are `input`, or its only key `params`. */
export async function testTool(scope: Scope, agentId: string, id: string, input: Record<string, unknown>): Promise<ToolTest> {
  const tool = await findTool(scope, agentId, id);
  const prepared = await prepareCall(scope, tool, paramsOf(input, tool));
  if ('error' in prepared) return { request: null, response: null, result: null, error: prepared.error };
  return { request: prepared.request, ...(await prepared.send(scope.signal)) };
}

/** The request that a call would send, with the names of values of the visitor in their places. */
export async function previewTool(scope: Scope, agentId: string, id: string, input: Record<string, unknown>): Promise<ToolTest> {
  const tool = await findTool(scope, agentId, id);
  const prepared = await prepareCall(scope, tool, paramsOf(input, tool), 'names');
  const nothing = { response: null, result: null };
  return 'error' in prepared
    ? { ...nothing, request: null, error: prepared.error }
    : { ...nothing, request: prepared.request, error: null };
}

function paramsOf(input: Record<string, unknown>, { inputSchema: { properties } }: Tool): unknown {
  const isWrapped = Object.keys(input).length === 1 && isObject(input.params);
  const isParameter = isObject(properties) && Object.hasOwn(properties, 'params');
  return isWrapped && !isParameter ? input.params : input;
}

/** Keep an agent, the number of its tools and their names valid until the commit. */
export async function lockTools(scope: Scope, agentId: string): Promise<void> {
  await lockAgent(scope, agentId);
  await lockName(scope.em, `tools of ${agentId}`);
}

/** Throws `CONFLICT` if the agent has a tool with this name, and `UNPROCESSABLE` at its limit. */
export async function requireRoom({ em }: Scope, agentId: string, name: string): Promise<void> {
  await requireFreeName(em, agentId, name);
  if ((await em.count(Tool, { agentId })) >= MAX_TOOLS) throw fail('UNPROCESSABLE', `An agent has at most ${MAX_TOOLS} tools.`);
}

async function requireFreeName(em: Scope['em'], agentId: string, name: string): Promise<void> {
  if (await em.count(Tool, { agentId, name })) throw fail('CONFLICT', `A tool with the name ${name} already exists.`);
}

/** Settings of a tool of an MCP server that its owner may change. */
const OWN_SETTINGS: readonly string[] = [
  'name',
  'description',
  'enabled',
  'timeoutMs',
  'responseMapping',
  'effect',
  'approval',
  'confirmation',
  'data',
  'requiresVerifiedVisitor',
];

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

const REQUIRED = ['name', 'description', 'endpointUrl'] as const;
/** Entries of a map of templates, characters of one of them, and placeholders of one template. */
const [MAX_ENTRIES, MAX_VALUE, MAX_PLACEHOLDERS] = [50, 8_192, 100];
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]{1,100}$/;

/** Replaces each null by its default. Throws `INVALID_INPUT` for faults that types and declared limits do not catch. */
function readSettings(change: ToolChange): Partial<Tool> {
  refuseFaults(faultsOf(change));
  const { allowedDomains, headersTemplate, queryTemplate, responseMapping, confirmUnprotected: _, ...rest } = change;
  const settings = {
    ...rest,
    headersTemplate: headersTemplate && texts(headersTemplate),
    queryTemplate: queryTemplate && texts(queryTemplate),
    responseMapping: responseMapping && toMapping(responseMapping),
    allowedDomains: allowedDomains && [...new Set(allowedDomains.map((entry) => canonicalDomain(entry)!))],
  };
  return withDefaults(settings, new Tool());
}

/** An effect without an approval is a decision of the owner. A tool that has the setting already keeps it. */
function requireConfirmed(tool: Tool, { confirmUnprotected }: ToolChange, wasOpen = false): void {
  if (wasOpen || !isOpenByOwner(tool) || confirmUnprotected === tool.name) return;
  throw fail('INVALID_INPUT', `confirmUnprotected must be ${tool.name}, because the tool writes without an approval`);
}

/** Checks a whole tool, and returns the secrets that its templates name. Throws `INVALID_INPUT`. */
function checkTool(tool: Tool): string[] {
  refuseFaults(combinedFaults(tool));
  const { endpointUrl, headersTemplate, queryTemplate, bodyTemplate } = tool;
  return secretsOf([endpointUrl, ...Object.values(headersTemplate), ...Object.values(queryTemplate), bodyTemplate ?? '']);
}

const toMapping = ({ kind, path, truncateChars }: NewResponseMapping): ResponseMapping => ({
  kind,
  ...(kind === 'jsonpath' && { path }),
  truncateChars: truncateChars ?? TRUNCATE_CHARS,
});

/** Templates with numbers and booleans as text. */
export const texts = (templates: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(templates).map(([name, value]) => [name, String(value)]));

function* faultsOf(change: ToolChange): Generator<string> {
  for (const name of REQUIRED) if (change[name] === null) yield `${name} must not be null`;
  if (typeof change.endpointUrl === 'string') yield* endpointFaults(change.endpointUrl);
  if (change.headersTemplate) yield* headerFaults(change.headersTemplate);
  if (change.queryTemplate) yield* templateFaults('queryTemplate', change.queryTemplate);
  if (change.bodyTemplate) yield* placeholderFaults('bodyTemplate', change.bodyTemplate);
  if (change.confirmation) {
    yield* placeholderFaults('confirmation', change.confirmation);
    if (secretsOf([change.confirmation]).length > 0) yield 'confirmation must not have a secret';
  }
  if (change.responseMapping) yield* mappingFaults(change.responseMapping);
  for (const [index, entry] of (change.allowedDomains ?? []).entries())
    if (canonicalDomain(entry) === undefined)
      yield `allowedDomains[${index}] must be a host such as api.example.com or .example.com`;
}

function* endpointFaults(url: string): Generator<string> {
  const [, authority] = /^https?:\/\/([^/?#]+)/i.exec(url) ?? [];
  const isValid = authority !== undefined && !/[\s\\]/.test(url.replace(/\{\{[^{}]*\}\}/g, 'x'));
  if (!isValid || !URL.canParse(url.replace(/\{\{[^{}]*\}\}/g, 'x'))) return yield 'endpointUrl must be an http or https URL';
  if (secretsOf([authority]).length > 0) yield 'endpointUrl must not have a secret in its host';
  if (namesVisitor([authority])) yield 'endpointUrl must not have a value of the visitor in its host';
  yield* placeholderFaults('endpointUrl', url);
}

/** Yields the faults of a map of header templates. */
export function* headerFaults(templates: Record<string, unknown>): Generator<string> {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(templates)) {
    const shown = truncate(name, 100);
    if (!HEADER_NAME.test(name)) yield `headersTemplate must not have the header name ${JSON.stringify(shown)}`;
    else if (isReservedHeader(name)) yield `headersTemplate must not set the header ${shown}`;
    else if (seen.has(name.toLowerCase())) yield `headersTemplate has the header ${shown} twice`;
    else if (typeof value === 'string' && /[\r\n]/.test(value)) yield `headersTemplate.${shown} must not have line breaks`;
    else if (typeof value === 'string' && !IS_LATIN_1.test(value))
      yield `headersTemplate.${shown} must have only characters of Latin-1`;
    seen.add(name.toLowerCase());
  }
  yield* templateFaults('headersTemplate', templates);
}

function* templateFaults(field: string, templates: Record<string, unknown>): Generator<string> {
  const entries = Object.entries(templates);
  if (entries.length > MAX_ENTRIES) return yield `${field} must have at most ${MAX_ENTRIES} entries`;
  for (const [name, value] of entries) {
    const path = `${field}.${truncate(name, 100)}`;
    if (!['string', 'number', 'boolean'].includes(typeof value)) yield `${path} must be text`;
    else if (String(value).length > MAX_VALUE) yield `${path} must be at most ${MAX_VALUE} characters`;
    else yield* placeholderFaults(path, String(value));
  }
}

function* placeholderFaults(path: string, template: string): Generator<string> {
  const [unknown] = unknownPlaceholders(template);
  if (unknown) yield `${path} has the unknown placeholder ${truncate(unknown, 100)}; use {{params.name}} or {{secret:NAME}}`;
  const count = parseTemplate(template).filter((part) => typeof part === 'object').length;
  if (count > MAX_PLACEHOLDERS) yield `${path} must have at most ${MAX_PLACEHOLDERS} placeholders`;
}

function* combinedFaults(tool: Tool): Generator<string> {
  const host = fixedHost(tool.endpointUrl);
  const domains = domainsOf(tool);
  if (domains.length === 0) yield 'allowedDomains must not be empty, because the host of endpointUrl depends on a parameter';
  else if (host !== undefined && !isAllowedHost(host, domains))
    yield `allowedDomains must include the host of endpointUrl, ${host}`;
  const { bodyTemplate, headersTemplate } = tool;
  if (bodyTemplate && bodyKind(bodyTemplate, headersTemplate) === 'json' && !isJsonTemplate(bodyTemplate))
    yield 'bodyTemplate must be JSON when its placeholders are filled in';
}
