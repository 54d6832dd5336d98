import { readRows } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { isObject } from '../../../schema/json.ts';
import { McpServer } from '../mcp-servers/entity.ts';
import { type McpEndpoint, RefusedByServer, withSession } from '../mcp-servers/mcp-session.ts';
import { openSecrets } from '../secrets/service.ts';
import type { Identity } from '../visitors/entity.ts';
import { compute } from './compute.ts';
import type { Prepared, RequestOutcome, Tool } from './entity.ts';
import { failureText, mayHaveArrived, prepareHttp } from './http-call.ts';
import { isSensitiveName, Masker, maskedCredentials } from './masking.ts';
import { needsVisitor } from './policy.ts';
import { type NamesOfValues, NEEDS_VISITOR, type TemplateVisitor, ToolFault } from './templates.ts';
import { hashOf, headersOf, maskJson, namedSecrets } from './tool-request.ts';

const MAX_INPUT = 64_000;

/**
 * Check the parameters of a call and make its request. Returns the error if that is not possible.
 * @param server the MCP server of the tool; by default it is read
 */
export async function prepareCall(
  scope: Scope,
  tool: Tool,
  input: unknown,
  identity: Identity | NamesOfValues | null = null,
  server?: McpServer,
): Promise<Prepared | { error: string }> {
  const params = input ?? {};
  if (!isObject(params)) return { error: 'The parameters must be an object.' };
  try {
    if (JSON.stringify(params).length > MAX_INPUT)
      return { error: `The parameters must be at most ${MAX_INPUT} characters of JSON.` };
    const fault = await compute(scope, 'checkInput', { schema: tool.inputSchema, params });
    if (fault) return { error: `The parameters do not match the schema: ${fault}` };
    if (identity === null && needsVisitor(tool)) return { error: NEEDS_VISITOR };
    return await (tool.mcpServerId === null
      ? prepareHttp(scope, tool, params, templateVisitor(identity))
      : prepareMcp(scope, tool, params, server));
  } catch (error) {
    if (error instanceof ToolFault) return { error: error.message };
    // `JSON.stringify` exhausts the stack.
    if (error instanceof RangeError) return { error: 'The parameters are nested too deeply.' };
    throw error;
  }
}

/** The values of `{{visitor.x}}` for a signed-in visitor. */
export const templateVisitor = (identity: Identity | NamesOfValues | null): TemplateVisitor | NamesOfValues | null =>
  identity === null || identity === 'names' ? identity : { id: identity.subject, email: identity.email, claims: identity.claims };

/** An MCP server with its rendered headers. */
interface ResolvedServer extends McpEndpoint {
  maskedHeaders: Record<string, string>;
  masker: Masker;
}

/** Fill in the headers of a server. Throws `ToolFault` for an unknown secret. */
export async function resolveServer(
  scope: Scope,
  { url, headersTemplate, secretNames, timeoutMs }: McpServer,
): Promise<ResolvedServer> {
  const secrets = await openSecrets(scope, secretNames);
  const headers = headersOf({ headersTemplate }, { params: {}, secrets });
  const masker = new Masker([...secrets.values(), ...namedSecrets(headers, url)]);
  const entries = Object.entries(headers);
  return {
    url,
    timeoutMs,
    masker,
    headers: Object.fromEntries(entries.map(([name, { text }]) => [name, text])),
    maskedHeaders: Object.fromEntries(
      entries.map(([name, { masked }]) => [name, isSensitiveName(name) ? maskedCredentials(masked) : masker.mask(masked)]),
    ),
  };
}

/** Make the request of a tool of an MCP server, which is read unless it is given. Throws `ToolFault`. */
async function prepareMcp(scope: Scope, tool: Tool, params: Record<string, unknown>, given?: McpServer): Promise<Prepared> {
  const server = given ?? (await readRows(scope, McpServer, { where: { id: tool.mcpServerId! } }))[0];
  if (!server) throw new ToolFault('The MCP server of the tool does not exist.');
  const resolved = await resolveServer(scope, server);
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', params: { name: tool.remoteName, arguments: params } });
  const { url, maskedHeaders, masker } = resolved;
  return {
    request: { method: 'POST', url: masker.mask(url), headers: maskedHeaders, query: {}, body: masker.mask(maskJson(body)) },
    hash: hashOf([url, resolved.headers, tool.remoteName, params]),
    host: new URL(url).hostname,
    async send(signal, headers): Promise<RequestOutcome> {
      const started = performance.now();
      let isCalled = false;
      const headersOfCall = (text: string) => {
        isCalled = true;
        return headers?.({ method: 'POST', url, body: text }) ?? {};
      };
      const endpoint = { ...resolved, timeoutMs: tool.timeoutMs, headersOfCall };
      try {
        const text = await withSession(scope, endpoint, signal, (ask) =>
          ask('tools/call', { name: tool.remoteName!, arguments: params }),
        );
        return await outcomeOf(scope, text, Math.round(performance.now() - started), tool, masker);
      } catch (error) {
        const isUnclear = isCalled && !(error instanceof RefusedByServer) && (error instanceof ToolFault || mayHaveArrived(error));
        return { response: null, result: null, error: failureText(error, masker, signal), isUnclear };
      }
    },
  };
}

async function outcomeOf(
  scope: Scope,
  text: string,
  durationMs: number,
  { responseMapping: mapping }: Tool,
  { secrets }: Masker,
): Promise<RequestOutcome> {
  const mapped = await compute(scope, 'mapToolResult', { text, mapping, secrets });
  const { snippet, excerpt, result, truncated, isError } = mapped;
  const response = { status: 200, durationMs, snippet, truncated };
  if (!isError) return { response, result, error: null };
  return { response, result: null, error: `The tool failed: ${excerpt}` };
}
