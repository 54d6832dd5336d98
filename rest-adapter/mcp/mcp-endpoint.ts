import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '../../schema/json.ts';
import { defaultAnswerLimit, defaultBodyLimit } from '../../schema/limits.ts';
import { type FileStore, type FindToolAccess, isThisMachine } from '../../schema/request.ts';
import { failureOf, httpError } from '../../server/failure.ts';
import { admitRequest, credentialHeaders, throwRefusal } from '../../server/request-admission.ts';
import { cors } from '../../server/security.ts';
import type { AdmissionGate } from '../adapter.ts';
import { readBody, refuseEncoded, unreadableBody } from '../request/request-variables.ts';
import { createProtocol } from './mcp-protocol.ts';
import { makeTools, type ServedTool, type ToolSources } from './row-tool.ts';
import { RunningCalls } from './tool-call.ts';

interface McpOptions extends AdmissionGate, ToolSources {
  /** Finds the tool groups of a key, and checks the access that a tool requires. */
  access: FindToolAccess;
  /** Stores files in the arguments of tools. */
  files?: FileStore;
  version: string;
  /** Origins of web pages that may call tools; `*` allows all. */
  corsOrigins?: readonly string[];
  publicUrl?: string;
  /** Maximum bytes of a message; default 10 MiB. */
  bodyLimit?: number;
}

/** Maximum bytes of a result. It appears twice in the response, as text and as an object. */
const RESULT_LIMIT = 4 * 1024 * 1024;
const SESSION = 'mcp-session-id';
const requestHeaders = [SESSION, 'mcp-protocol-version', 'last-event-id'];

/**
 * A plugin that serves the rows as MCP tools at `/mcp`, over streamable HTTP. A session is only a name that the client repeats: the
 * server stores nothing for it, so that any process answers any request. There is no stream for messages of the server.
 */
export async function mcpEndpoint(app: FastifyInstance, options: McpOptions): Promise<void> {
  const { bodyLimit = defaultBodyLimit, answerLimit = defaultAnswerLimit, corsOrigins = [], publicUrl, version } = options;
  let tools: ReadonlyMap<string, ServedTool> | undefined;
  const protocol = createProtocol({
    access: options.access,
    files: options.files,
    answerLimit: Math.min(answerLimit, RESULT_LIMIT),
    running: new RunningCalls(),
    version,
    tools: () => {
      tools ??= makeTools(options);
      return tools;
    },
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, async (request: FastifyRequest, bytes: Buffer) =>
    readBody(bytes, request.headers['content-type']),
  );
  app.decorateRequest('context', null!);
  app.decorateRequest('lifetime', null!);
  app.setErrorHandler(sendFailure);
  if (corsOrigins.length > 0) app.addHook('onRequest', cors(corsOrigins, requestHeaders, [SESSION]));
  app.addHook('onRequest', originCheck(corsOrigins, publicUrl));
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'POST') return;
    reply.header('cache-control', 'no-store');
    const headers = credentialHeaders(request);
    const refusal = await admitRequest(options, request, reply, headers, { access: 'user' });
    // A header would apply to every call of a client; tools have an argument instead.
    delete headers['idempotency-key'];
    throwRefusal(refusal);
  });
  app.addHook('preParsing', refuseEncoded);

  app.post('/mcp', { bodyLimit }, async (request, reply) => {
    if (isObject(request.body) && request.body.method === 'initialize') reply.header(SESSION, randomUUID());
    return send(reply, await protocol.answer(request, request.body));
  });
  app.route({ method: ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'], url: '/mcp', handler: sendMethod });
}

function send(reply: FastifyReply, { status, headers, body }: Response): FastifyReply {
  for (const [name, value] of headers) if (name !== 'connection') reply.header(name, value);
  // Without it, nginx would buffer the events.
  if (headers.get('content-type') === 'text/event-stream') reply.header('x-accel-buffering', 'no');
  return reply.code(status).send(body ? Readable.fromWeb(body as ReadableStream) : undefined);
}

function sendMethod(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendError(reply.header('allow', 'POST'), 405, 'Method not allowed');
}

function sendFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message } = failureOf(error);
  if (status >= 500) request.log.error({ err: error }, 'Request failed');
  return sendError(status === 401 ? reply.header('www-authenticate', 'Bearer') : reply, status, message);
}

/** Codes of JSON-RPC: text that is no JSON, JSON that is no message, a fault of the server, and everything else. */
const [PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR, REFUSED] = [-32_700, -32_600, -32_603, -32_000];

function sendError(reply: FastifyReply, status: number, message: string): FastifyReply {
  const code = codeOfStatus(status, message);
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}

function codeOfStatus(status: number, message: string): number {
  if (status === 400) return (Object.values(unreadableBody) as string[]).includes(message) ? PARSE_ERROR : INVALID_REQUEST;
  return status >= 500 ? INTERNAL_ERROR : REFUSED;
}

/**
 * Create a hook that rejects requests of web pages, except pages of these origins and of this machine. It protects servers on
 * loopback addresses from DNS rebinding.
 */
function originCheck(origins: readonly string[], publicUrl: string | undefined) {
  const allowed = new Set([...origins, ...(publicUrl ? [new URL(publicUrl).origin] : [])]);
  return async ({ headers: { origin, host } }: FastifyRequest): Promise<void> => {
    if (origin === undefined || allowed.has('*') || allowed.has(origin)) return;
    if (isLocal(origin) && isLocal(`http://${host}`)) return;
    throw httpError(403, 'The origin of this page may not use MCP');
  };
}

function isLocal(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isThisMachine(url);
}
