import { ReadableStream } from 'node:stream/web';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JsonSchemaValidatorResult, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { isObject, type JsonObject } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import type { Outbound, OutboundSession } from '../../common/outbound/client.ts';
import { OutboundRefused } from '../../common/outbound/refusal.ts';
import { ToolFault } from '../tools/templates.ts';

export interface Endpoint {
  url: string;
  headers: Record<string, string>;
  timeoutMs: number;
}

/** Sends a request. The caller checks its result, because a schema of the SDK takes seconds and gigabytes for a hostile one. */
export type Ask = (method: 'tools/call' | 'tools/list', params: JsonObject) => Promise<JsonObject>;

const MAX_BYTES = 2 * 1024 * 1024;
/** Of the description of the server, which a schema of the SDK checks. */
const MAX_SESSION_BYTES = 64 * 1024;
/** Answers to requests of the server, such as pings. Each is a request of its own, so a flood of them gets no more. */
const MAX_ANSWERS = 16;

/**
 * Run `work` in a session with an MCP server, within one time limit. Throws `ToolFault`, `OutboundRefused`, or the reason of the signal.
 */
export async function withSession<T>(
  outbound: Outbound,
  { url, headers, timeoutMs }: Endpoint,
  signal: AbortSignal | undefined,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  // Loaded on first use, because it takes half a second.
  const [{ Client }, { StreamableHTTPClientTransport }, { ResultSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const session = await outbound.openSession(url, signal);
  // The time limit starts with the slot of the session.
  const timer = AbortSignal.timeout(timeoutMs);
  const limits = { timeout: timeoutMs, signal: signal ? AbortSignal.any([signal, timer]) : timer };
  // The SDK hides the errors of a body that breaks off.
  let failure: unknown;
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: fetchThrough(session, timeoutMs, (error) => {
      failure ??= error;
    }),
    requestInit: { headers },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
  });
  const client = new Client({ name: 'catalog-graph', version: '1.0.0' }, { jsonSchemaValidator: acceptsAll });
  try {
    await client.connect(transport, limits);
    return await work((method, params) => client.request({ method, params }, ResultSchema, limits));
  } catch (error) {
    signal?.throwIfAborted();
    throw faultOf(failure ?? error, timer.aborted);
  } finally {
    const end = transport.sessionId && !limits.signal.aborted ? transport.terminateSession() : Promise.resolve();
    // In the background, because the result is complete.
    void end
      .catch(() => {})
      .then(() => client.close())
      .catch(() => {})
      .finally(session.close);
  }
}

/** Output schemas of servers are not compiled, because a hostile one would block the process. */
const acceptsAll: jsonSchemaValidator = {
  getValidator: <T>() => {
    return (input: unknown): JsonSchemaValidatorResult<T> => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/** Statuses whose responses have no body. */
const BODILESS = [204, 205, 304];

/** Sends the requests of the SDK through the guarded client. Failures of a body are reported, because the SDK drops them. */
function fetchThrough(session: OutboundSession, timeoutMs: number, report: (error: unknown) => void): FetchLike {
  let answers = 0;
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    // A stream for messages of the server is optional, and no message but the result is of interest.
    if (method === 'GET') return new Response(null, { status: 405 });
    const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
    const rpc = isObject(message) ? message.method : undefined;
    const isAnswer = message !== undefined && rpc === undefined;
    if (isAnswer && ++answers > MAX_ANSWERS) return new Response(null, { status: 202 });
    const response = await session.stream(String(url), {
      method: method as 'POST',
      headers: Object.fromEntries(new Headers(headers)),
      body: body === undefined || body === null ? undefined : String(body),
      timeoutMs,
      maxBytes: rpc === 'initialize' ? MAX_SESSION_BYTES : MAX_BYTES,
      signal: signal ?? undefined,
    });
    const content = BODILESS.includes(response.status) ? null : ReadableStream.from(reporting(response.body, report, signal));
    return new Response(content as BodyInit | null, { status: response.status, headers: response.headers });
  };
}

async function* reporting(body: AsyncIterable<Buffer>, report: (error: unknown) => void, signal?: AbortSignal | null) {
  try {
    yield* body;
  } catch (error) {
    if (!signal?.aborted) report(error);
    throw error;
  }
}

function faultOf(error: unknown, isLate: boolean): Error {
  if (error instanceof OutboundRefused || error instanceof ToolFault) return error;
  // Codes of the SDK: an HTTP status, or a code of JSON-RPC.
  const { code, message = '' } = error as { code?: unknown; message?: string };
  if (isLate || code === REQUEST_TIMEOUT) return new ToolFault('The MCP server took too long to answer.');
  if (typeof code === 'number' && code >= 400) return new ToolFault(`The MCP server answered with status ${code}.`);
  return new ToolFault(`The MCP server could not be used: ${truncate(message, 300)}`);
}

const REQUEST_TIMEOUT = -32_001;
