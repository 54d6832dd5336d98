import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { GraphQLError } from 'graphql';
import { codeOf, ERROR_CODE_HEADER, type ErrorCode, errors } from '../schema/errors.ts';

/** Create an HTTP error with a status and a public message. */
export const httpError = (status: number, message: string): Error => Object.assign(new Error(message), { statusCode: status });

/** The status and public message of an error. Errors that the caller did not cause are masked. */
export function failureOf(error: FastifyError | Error): { status: number; message: string } {
  const status = statusOf(error);
  return status === 500 ? { status, message: 'Internal Server Error' } : { status, message: error.message };
}

function statusOf(error: FastifyError | Error): number {
  if (error instanceof GraphQLError) return errors[codeOf(error.toJSON())];
  const { statusCode = 500, code } = error as FastifyError;
  // The Host header does not form a valid URL.
  if (code === 'ERR_INVALID_URL') return 400;
  return statusCode >= 400 && statusCode < 500 ? statusCode : 500;
}

/** The status of a request whose client left before the response began, for the log. Nobody receives it. */
export const CLIENT_LEFT = 499;

/** Whether a streamed response failed only because its client left. */
export const hasLeft = (error: FastifyError, { raw }: FastifyReply): boolean =>
  error.code === 'ERR_STREAM_PREMATURE_CLOSE' && raw.destroyed;

/** Error handler. To find the cause of a masked error, search the log for the `x-request-id` of the response. */
export function answerFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (hasLeft(error, reply)) return reply.code(CLIENT_LEFT).send();
  const { status, message } = failureOf(error);
  if (status >= 500) request.log.error({ err: error }, 'Request failed');
  const code = error instanceof GraphQLError ? codeOf(error.toJSON()) : codeOfStatus(status);
  return reply.code(status).header(ERROR_CODE_HEADER, code).send({ success: false, message });
}

export function answerNotFound(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(404).header(ERROR_CODE_HEADER, 'NOT_FOUND').send({ success: false, message: 'Not found' });
}

const codes: Record<number, ErrorCode> = { 404: 'NOT_FOUND', 405: 'METHOD_NOT_ALLOWED', 429: 'RATE_LIMITED' };

/** The code of an error of the server itself, which has only a status. */
const codeOfStatus = (status: number): ErrorCode => codes[status] ?? (status < 500 ? 'INVALID_INPUT' : 'INTERNAL_SERVER_ERROR');

/** Returns the body of a refusal for requests to a path; undefined if the path is unknown. Without a path, the request line was unreadable. */
export type ParserRefusal = (status: number, message: string, path: string | undefined) => object | undefined;

interface Refusal {
  status: number;
  reason: string;
  message: string;
}

const refusals: Record<string, Refusal> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: 'Request Timeout', message: 'the request took too long' },
  HPE_HEADER_OVERFLOW: { status: 431, reason: 'Request Header Fields Too Large', message: 'the headers are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, reason: 'Payload Too Large', message: 'the chunk extensions are too large' },
};
const malformed: Refusal = { status: 400, reason: 'Bad Request', message: 'the request is not well-formed HTTP' };

/** The last request of each connection. */
const lastRequests = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();

/** Remembers the requests of a server for `parserErrors`. */
export const rememberRequests = (server: Server): unknown =>
  server.prependListener('request', (request, response) => lastRequests.set(request.socket, { request, response }));

/**
 * Answers requests that the HTTP parser of Node refuses, which reach no hook, in the error format of their path. While a response to an earlier request on the
 * connection is pending, a refusal would look like that response. The connection then ends after the response, without a refusal.
 */
export const parserErrors = (bodyOf: ParserRefusal = () => undefined): FastifyServerOptions['clientErrorHandler'] =>
  function answerParserError(this: FastifyInstance, error, socket: Socket) {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const last = lastRequests.get(socket);
    if (last?.request.complete && !last.response.writableFinished && !last.response.destroyed) {
      last.response.once('close', () => socket.destroySoon());
      return;
    }
    const { status, reason, message } = refusals[error.code ?? ''] ?? malformed;
    this.log.debug({ err: error }, 'The HTTP parser refused a request');
    // Fastify declares the bytes in their JSON form.
    const path = pathOf(error.rawPacket as unknown as Buffer | undefined);
    const body = JSON.stringify(bodyOf(status, message, path) ?? generalBody(message, path));
    const head = [
      `HTTP/1.1 ${status} ${reason}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'x-content-type-options: nosniff',
      `${ERROR_CODE_HEADER}: ${codeOfStatus(status)}`,
      'connection: close',
    ];
    if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    socket.destroySoon();
  };

function generalBody(message: string, path: string | undefined): object {
  if (path === '/graphql') return { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] };
  return path?.startsWith('/auth/') ? { error: message } : { success: false, message };
}

/** Longer request lines count as unreadable. */
const MAX_LINE = 4_096;

/** The path in the first line of the bytes. They may also be a later part of the request, which has none. */
const pathOf = (bytes: Buffer | undefined): string | undefined =>
  /^[A-Z]+ (\/[^\s?]*)(?:\?\S*)? HTTP\/1\.[01]\r?\n/.exec(bytes?.toString('latin1', 0, MAX_LINE) ?? '')?.[1];
