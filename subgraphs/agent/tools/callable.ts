import { readRows } from '../../../platform/database/index.ts';
import { detached, type Scope } from '../../../platform/scope/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { isObject } from '../../../schema/json.ts';
import { prepareMcp } from '../mcp-servers/remote-call.ts';
import { recordEnd, recordStart } from '../tool-calls/service.ts';
import { compute } from './compute.ts';
import type { Prepared } from './entity.ts';
import { Tool } from './entity.ts';
import { prepareHttp } from './http-call.ts';
import { ToolFault } from './templates.ts';

/** Something that an answer may cite. */
export interface Citable {
  /** Unique in the reply. */
  id: string;
  /** The document that contains the source. Several sources of one document, or of one URL, are shown once. */
  documentId: string;
  /** The page of the source; null if it is a document without an address. */
  url: string | null;
  title: string;
  /** The text that supports an answer. */
  text: string;
}

/** The context of a call. */
export interface Calling {
  conversationId: string;
  signal?: AbortSignal;
  /** Number a source that the output contains. Returns null if the reply has too many. */
  cite(source: Citable): number | null;
}

/** A tool as the model of an agent calls it. */
export interface CallableTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /**
   * Call the tool and write its audit record. A failure of the receiver, or parameters that do not fit, are the result `error`, whose
   * text the model and the visitor may see. Secrets are masked in both results.
   */
  call(input: unknown, by: Calling): Promise<{ output: unknown } | { error: string }>;
}

export const MAX_TOOLS = 100;

/** The enabled tools of an agent, sorted by name. They stay usable after the request of the scope has ended. */
export async function callableTools(scope: Scope, agentId: string): Promise<CallableTool[]> {
  const rows = await readRows(
    scope,
    Tool,
    { where: { agentId, enabled: true }, orderBy: { name: 'asc' } },
    { limit: MAX_TOOLS, offset: 0 },
  );
  const own = detached(scope);
  return rows.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: { type: 'object', ...tool.inputSchema },
    call: (input, { conversationId, signal }) => callTool(own, tool, input, conversationId, signal),
  }));
}

async function callTool(
  scope: Scope,
  tool: Tool,
  input: unknown,
  conversationId: string,
  signal?: AbortSignal,
): Promise<{ output: unknown } | { error: string }> {
  const started = performance.now();
  const failed = (err: unknown) => {
    log.error({ err, tool: tool.id }, 'Failed to call a tool');
    return { error: 'The tool could not be called.' };
  };
  try {
    const prepared = await prepareCall(scope, tool, input).catch(failed);
    // Without its record, a call is not sent.
    const id = await recordStart(scope, tool, conversationId, 'request' in prepared ? prepared.request : null);
    const sent =
      'error' in prepared
        ? { response: null, result: null, ...prepared }
        : await prepared.send(signal).catch((err: unknown) => ({ response: null, result: null, ...failed(err) }));
    const { response, result, error } = sent;
    const durationMs = Math.round(performance.now() - started);
    // The sweep fails a record that has no end.
    await recordEnd(scope, id, { responseStatus: response?.status ?? null, error, durationMs }).catch(failed);
    return error === null ? { output: result } : { error };
  } catch (error) {
    return failed(error);
  }
}

const MAX_INPUT = 64_000;

/** Check the parameters of a call and make its request. Returns the error if that is not possible. */
export async function prepareCall(scope: Scope, tool: Tool, input: unknown): Promise<Prepared | { error: string }> {
  const params = input ?? {};
  if (!isObject(params)) return { error: 'The parameters must be an object.' };
  try {
    if (JSON.stringify(params).length > MAX_INPUT)
      return { error: `The parameters must be at most ${MAX_INPUT} characters of JSON.` };
    const fault = await compute(scope, 'checkInput', { schema: tool.inputSchema, params });
    if (fault) return { error: `The parameters do not match the schema: ${fault}` };
    return await (tool.mcpServerId === null ? prepareHttp(scope, tool, params) : prepareMcp(scope, tool, params));
  } catch (error) {
    if (error instanceof ToolFault) return { error: error.message };
    // `JSON.stringify` exhausts the stack.
    if (error instanceof RangeError) return { error: 'The parameters are nested too deeply.' };
    throw error;
  }
}
