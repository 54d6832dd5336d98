import { text as textOf } from 'node:stream/consumers';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JsonSchemaValidatorResult, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { OutboundRefused, type OutboundSession, type OutboundStream } from '../../../platform/outbound/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { isObject, type JsonObject } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import { compute } from '../tools/compute.ts';
import { ToolFault } from '../tools/templates.ts';
import { type FoundAnswer, findAnswer, type McpAnswer } from './answers.ts';

export interface McpEndpoint {
  url: string;
  headers: Record<string, string>;
  timeoutMs: number;
  /** Makes further headers of the request that calls a tool, just before it is sent. */
  headersOfCall?(body: string): Record<string, string>;
}

/** Sends a request. Returns the JSON text of its result, which only the thread may parse: the server may send anything. */
export type Ask = (method: 'tools/call' | 'tools/list', params: JsonObject) => Promise<string>;

/** Bytes of all responses of a session. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Of the description of the server, which a schema of the SDK checks. */
const MAX_SESSION_BYTES = 64 * 1024;
/** Messages of one response, such as log messages before the answer. */
const MAX_MESSAGES = 32;
/** Characters that are parsed here. A thread parses longer texts, so that none blocks the process. */
const MAX_PARSED_HERE = 16_384;

/** The server answered that it did not carry out a call. */
export class RefusedByServer extends ToolFault {}

const TOO_LATE = 'The MCP server took too long to answer.';
const TOO_MANY = `The MCP server sent more than ${MAX_MESSAGES} messages in one response.`;
const NO_ANSWER = 'The MCP server could not be used: its response has no answer to the request.';

/**
 * Run `work` in a session with an MCP server, within one time limit. Throws `ToolFault`, `OutboundRefused`, or the reason of the signal.
 */
export async function withSession<T>(
  scope: Scope,
  { url, headers, timeoutMs, headersOfCall }: McpEndpoint,
  signal: AbortSignal | undefined,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  // Loaded on first use, because it takes half a second.
  const [{ Client }, { StreamableHTTPClientTransport }, { ResultSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const session = await scope.services.outbound.ownedBy(scope.organizationId).openSession(url, signal);
  // The time limit starts with the slot of the session.
  const timer = AbortSignal.timeout(timeoutMs);
  const limits = { timeout: timeoutMs, signal: signal ? AbortSignal.any([signal, timer]) : timer };
  const answers: Answers = { results: [], hasRefused: false };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: fetchThrough(scope, session, { timeoutMs, headersOfCall }, answers),
    requestInit: { headers },
  });
  const client = new Client({ name: 'catalog-graph', version: '1.0.0' }, { jsonSchemaValidator: acceptsAll });
  try {
    await client.connect(transport, limits);
    return await work(async (method, params) => {
      const { at } = await client.request({ method, params }, ResultSchema, limits);
      return answers.results[at as number]!;
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw faultOf(error, timer.aborted, answers.hasRefused);
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

/** JSON-RPC errors of requests that were not run: not parsed, invalid, an unknown method, invalid parameters. Others can follow half of an effect. */
const NOT_RUN: readonly number[] = [-32_700, -32_600, -32_601, -32_602];

/** The answers of the server to calls. */
interface Answers {
  results: string[];
  /** Whether the server refused the last call without running it. */
  hasRefused: boolean;
}

/**
 * Sends the requests of the SDK through the guarded client. The SDK receives only the message that answers its request, because its schemas
 * take seconds for a flood of messages. Results of tools stay in `answers`; the SDK gets their place.
 */
function fetchThrough(
  scope: Scope,
  session: OutboundSession,
  { timeoutMs, headersOfCall }: Pick<McpEndpoint, 'timeoutMs' | 'headersOfCall'>,
  answers: Answers,
): FetchLike {
  let bytesLeft = MAX_BYTES;
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    // A stream for messages of the server is optional, and no message but the answers is of interest.
    if (method === 'GET') return new Response(null, { status: 405 });
    const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
    const { id, method: rpc } = isObject(message) ? message : {};
    const done = new AbortController();
    const response = await session.stream(String(url), {
      method: method as 'POST',
      headers: { ...Object.fromEntries(new Headers(headers)), ...(rpc === 'tools/call' && headersOfCall?.(body as string)) },
      body: typeof body === 'string' ? body : undefined,
      timeoutMs,
      maxBytes: rpc === 'initialize' ? MAX_SESSION_BYTES : bytesLeft,
      signal: signal ? AbortSignal.any([signal, done.signal]) : done.signal,
    });
    try {
      if (rpc === 'tools/call') answers.hasRefused = isRefusal(response.status);
      if (id === undefined || response.status >= 300)
        return new Response(null, { status: response.status, headers: response.headers });
      const counted = { ...response, body: counting(response.body, (bytes) => (bytesLeft -= bytes)) };
      const answer = await readAnswer(scope, counted, id as number);
      if ('result' in answer && rpc !== 'initialize') answers.results.push(answer.result);
      if (rpc === 'tools/call') answers.hasRefused = 'error' in answer && NOT_RUN.includes(answer.error.code);
      const result =
        'error' in answer ? undefined : rpc === 'initialize' ? JSON.parse(answer.result) : { at: answers.results.length - 1 };
      const sessionId = response.headers['mcp-session-id'];
      return Response.json(
        { jsonrpc: '2.0', id, ...('error' in answer ? answer : { result }) },
        {
          headers: sessionId === undefined ? {} : { 'mcp-session-id': sessionId },
        },
      );
    } finally {
      done.abort();
    }
  };
}

async function* counting(body: AsyncIterable<Buffer>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    count(chunk.length);
    yield chunk;
  }
}

/** Read a response up to the answer to a request. Throws `ToolFault` if it has none, or too many other messages. */
async function readAnswer(scope: Scope, { headers, body }: OutboundStream, id: number): Promise<McpAnswer> {
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const texts = { 'text/event-stream': messagesOf, 'application/json': whole }[type.trim()];
  if (!texts) throw new ToolFault('The MCP server could not be used: it did not answer with JSON or events.');
  let count = 0;
  for await (const text of texts(body)) {
    const { messages, answer } = await find(scope, text, id);
    count += messages;
    if (count > MAX_MESSAGES) throw new ToolFault(TOO_MANY);
    if (answer) return answer;
  }
  throw new ToolFault(NO_ANSWER);
}

async function* whole(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  yield await textOf(body);
}

const find = async (scope: Scope, text: string, id: number): Promise<FoundAnswer> =>
  text.length <= MAX_PARSED_HERE ? findAnswer({ text, id }) : compute(scope, 'findAnswer', { text, id });

/** Statuses of a server that has not begun a call. */
const isRefusal = (status: number): boolean => status >= 400 && status <= 499 && status !== 408;

function faultOf(error: unknown, isLate: boolean, hasRefused: boolean): Error {
  if (error instanceof OutboundRefused || error instanceof ToolFault) return error;
  // Codes of the SDK: an HTTP status, or a code of JSON-RPC.
  const { code, message = '' } = error as { code?: unknown; message?: string };
  if (isLate || code === REQUEST_TIMEOUT) return new ToolFault(TOO_LATE);
  const Fault = hasRefused ? RefusedByServer : ToolFault;
  if (typeof code === 'number' && code >= 400) return new Fault(`The MCP server answered with status ${code}.`);
  return new Fault(`The MCP server could not be used: ${truncate(message, 300)}`);
}

const REQUEST_TIMEOUT = -32_001;

/** Yield the data of the messages of Server-Sent Events. Linear in the bytes, whatever their lines are. */
export async function* messagesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let data: string[] = [];
  let event = '';
  for await (const lines of linesOf(body)) {
    for (const line of lines) {
      if (line !== '') {
        const [name, value] = fieldOf(line);
        if (name === 'data') data.push(value);
        if (name === 'event') event = value;
        continue;
      }
      if (data.length > 0 && (event === '' || event === 'message')) yield data.join('\n');
      data = [];
      event = '';
    }
  }
}

/** The complete lines of each chunk. Lines end with CR, LF or both. */
async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  let hasEndedWithCr = false;
  for await (const chunk of body) {
    const decoded = decoder.decode(chunk, { stream: true });
    if (decoded === '') continue;
    const text = hasEndedWithCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    hasEndedWithCr = decoded.endsWith('\r');
    // Only the new chunk is searched, because a line may have many chunks.
    const lines = text.split(/\r\n|\r|\n/);
    lines[0] = rest + lines[0];
    rest = lines.pop()!;
    yield lines;
  }
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}
