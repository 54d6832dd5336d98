import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type * as Sdk from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, ListToolsResult, ServerResult } from '@modelcontextprotocol/sdk/types.js';
import type { FastifyRequest } from 'fastify';
import type { EnumValue } from '../../schema/enums.ts';
import { isObject } from '../../schema/json.ts';
import { truncate } from '../../schema/text.ts';
import { PING_INTERVAL } from '../answer/answer.ts';
import type { ServedTool } from './row-tool.ts';
import { type CallServices, callTool } from './tool-call.ts';

interface ProtocolOptions extends CallServices {
  tools: () => ReadonlyMap<string, ServedTool>;
  version: string;
}

const instructions = `Each tool is a documented endpoint. Results are the bodies of the REST API; failures have its status and message.
Most tools accept "organization" (id or slug); its default is the organization of the API key.
A job runs in the background: create it, then call wait_for_job with its id, and read its items afterwards.`;

/** Results for clients that call methods of capabilities that the server does not declare: it has neither resources, prompts nor log messages. */
const undeclared: Readonly<Record<string, ServerResult>> = {
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
  'prompts/list': { prompts: [] },
  'logging/setLevel': {},
};

/** Loaded on first use, because it takes half a second. */
const loadSdk = async () => {
  const [{ Server }, { WebStandardStreamableHTTPServerTransport }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  return { Server, Transport: WebStandardStreamableHTTPServerTransport, ...types };
};

type LoadedSdk = Awaited<ReturnType<typeof loadSdk>>;

/** Never called, because the server sends no requests to clients. The default validator takes milliseconds to create. */
const jsonSchemaValidator = {
  getValidator: () => {
    throw new Error('No response of a client is validated');
  },
};

/** Answers single messages of MCP clients. No state survives a message, so any process may answer the next one. */
export function createProtocol(options: ProtocolOptions) {
  let loading: Promise<LoadedSdk> | undefined;

  const connect = (sdk: LoadedSdk, request: FastifyRequest): Server => {
    const server = new sdk.Server(
      { name: 'catalog-graph', version: options.version },
      { capabilities: { tools: {} }, instructions, jsonSchemaValidator },
    );
    const invalid = (message: string) => new sdk.McpError(sdk.ErrorCode.InvalidParams, message);
    server.setRequestHandler(sdk.ListToolsRequestSchema, ({ params }) => listTools(params?.cursor, request, invalid));
    server.setRequestHandler(sdk.CallToolRequestSchema, async ({ params }, { requestId, _meta, sendNotification, signal }) => {
      const tool = options.tools().get(params.name);
      if (!tool) throw invalid(`Unknown tool: ${truncate(params.name, 100)}`);
      const progressToken = _meta?.progressToken;
      const notify = async (progress: { progress: number; total?: number; message?: string }) => {
        if (progressToken !== undefined)
          await sendNotification({ method: 'notifications/progress', params: { ...progress, progressToken } });
      };
      return options.running.run(callName(request, requestId), (canceled): Promise<CallToolResult> => {
        const signals = AbortSignal.any([request.lifetime.signal, canceled, signal]);
        return callTool({ tool, given: params.arguments ?? {}, key: keyOf(request), request, signal: signals, notify }, options);
      });
    });
    server.fallbackRequestHandler = async ({ method }) => {
      if (Object.hasOwn(undeclared, method)) return undeclared[method]!;
      throw new sdk.McpError(sdk.ErrorCode.MethodNotFound, 'Method not found');
    };
    server.setNotificationHandler(sdk.CancelledNotificationSchema, ({ params }) => {
      const name = params.requestId === undefined ? undefined : callName(request, params.requestId);
      if (name !== undefined) options.running.cancel(name);
    });
    return server;
  };

  const listTools = async (cursor: string | undefined, request: FastifyRequest, invalid: (message: string) => Error) => {
    const { groups } = await options.access(request.context, { access: 'user' });
    const page: ListToolsResult | undefined = listPage([...options.tools().values()], groups, cursor);
    if (!page) throw invalid('Unknown cursor');
    return page;
  };

  return {
    /** Answer a parsed message. The response is an event stream if the call may take long. */
    async answer(request: FastifyRequest, message: unknown): Promise<Response> {
      loading ??= loadSdk();
      const sdk = await loading;
      const fault = messageFault(sdk, message);
      if (fault) return faultResponse(fault);
      const transport = new sdk.Transport({ enableJsonResponse: !isLong(message, options.tools()), keepAliveMs: PING_INTERVAL });
      await connect(sdk, request).connect(transport as Parameters<Server['connect']>[0]);
      const headers = Object.entries(request.headers).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value]] : [],
      );
      const url = 'http://localhost/mcp';
      return transport.handleRequest(new Request(url, { method: 'POST', headers: headers as [string, string][] }), {
        parsedBody: message,
      });
    },
  };
}

/** A message without a readable id gets an HTTP error, as there is no request to answer. */
const faultResponse = ({ code, message, id }: MessageFault): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status: id === null ? 400 : 200 });

/** Whether the call reports progress, or may be silent for longer than proxies wait. */
function isLong(message: unknown, tools: ReadonlyMap<string, ServedTool>): boolean {
  const { method, params } = message as Record<string, unknown>;
  if (method !== 'tools/call' || !isObject(params)) return false;
  const meta = isObject(params._meta) ? params._meta : {};
  const tool = typeof params.name === 'string' ? tools.get(params.name) : undefined;
  return meta.progressToken !== undefined || tool?.route.row.stream !== undefined;
}

/** The key without its scheme, so that all spellings share one limit. */
const keyOf = ({ headers }: FastifyRequest): string =>
  (String(headers['x-api-key'] ?? '').trim() || headers.authorization || '').replace(/^bearer\s+/i, '').trim();

/** Identifies a running call of a session. Callers cannot guess the sessions of others. */
function callName(request: FastifyRequest, id: string | number): string | undefined {
  const session = request.headers['mcp-session-id'];
  return typeof session === 'string' ? JSON.stringify([keyOf(request), session, id]) : undefined;
}

/** Tools of one page. A definition has up to a few kilobytes. */
const PAGE = 50;

/** One page of the tools of these groups. The cursor is the last name of the previous page; returns undefined if it is unknown. */
function listPage(
  tools: readonly ServedTool[],
  groups: readonly EnumValue<'ToolGroup'>[],
  cursor: string | undefined,
): ListToolsResult | undefined {
  const at = cursor === undefined ? 0 : tools.findIndex(({ name }) => name === cursor) + 1;
  if (cursor !== undefined && at === 0) return undefined;
  const left = tools.slice(at).filter(({ group }) => groups.includes(group));
  const page = left.slice(0, PAGE);
  return {
    tools: page.map(({ definition }) => definition),
    ...(left.length > PAGE && { nextCursor: page.at(-1)!.name }),
  };
}

/** The reason why the server cannot answer a message, with its JSON-RPC error code. */
interface MessageFault {
  code: number;
  message: string;
  /** The id of the request; null if the message is no request. */
  id: string | number | null;
}

/**
 * Finds the fault of a parsed message: `InvalidRequest` for JSON that is no message, and `InvalidParams` for parameters of a wrong type.
 * The SDK would answer with a parse error or an internal error.
 */
function messageFault(sdk: typeof Sdk, message: unknown): MessageFault | undefined {
  const { InvalidRequest, InvalidParams } = sdk.ErrorCode;
  // A batch would be counted as one request.
  if (!isObject(message)) return { code: InvalidRequest, message: 'The body must be one JSON-RPC message', id: null };
  const { success, error } = envelopeOf(sdk, message).safeParse(message);
  if (!success && error.issues.some(({ path }) => path[0] !== 'params'))
    return { code: InvalidRequest, message: 'The body is no JSON-RPC message', id: null };
  const { method, id } = message;
  if (id === undefined) return undefined;
  const schema = typeof method === 'string' ? schemasOf(sdk).get(method) : undefined;
  const [issue] = error?.issues ?? schema?.safeParse(message).error?.issues ?? [];
  if (!issue) return undefined;
  return { code: InvalidParams, message: `${truncate(issue.path.map(String).join('.'), 100)}: ${issue.message}`, id: id as string };
}

function envelopeOf(sdk: typeof Sdk, { method, id }: Record<string, unknown>) {
  if (method === undefined) return sdk.JSONRPCMessageSchema;
  return id === undefined ? sdk.JSONRPCNotificationSchema : sdk.JSONRPCRequestSchema;
}

const schemasOf = (sdk: typeof Sdk) =>
  new Map(
    Object.entries({
      initialize: sdk.InitializeRequestSchema,
      ping: sdk.PingRequestSchema,
      'tools/list': sdk.ListToolsRequestSchema,
      'tools/call': sdk.CallToolRequestSchema,
    }),
  );
