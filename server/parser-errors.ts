import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';

/** Returns the body of a refusal for requests to a path; undefined if the path is unknown. Without a path, the request line was unreadable. */
export type ParserRefusal = (status: number, message: string, path: string | undefined) => object | undefined;

const refusals: Record<string, { status: number; message: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the request took too long' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'the headers are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'the chunk extensions are too large' },
};
const malformed = { status: 400, message: 'the request is not well-formed HTTP' };

/** Answers requests that the HTTP parser of Node refuses, which reach no hook, in the error format of their path. */
export const parserErrors = (bodyOf: ParserRefusal = () => undefined): FastifyServerOptions['clientErrorHandler'] =>
  function answerParserError(this: FastifyInstance, error, socket: Socket) {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const { status, message } = refusals[error.code ?? ''] ?? malformed;
    this.log.debug({ err: { code: error.code, message: error.message } }, 'The HTTP parser refused a request');
    // Fastify declares the bytes in their JSON form.
    const path = pathOf(error.rawPacket as unknown as Buffer | undefined);
    const body = JSON.stringify(bodyOf(status, message, path) ?? generalBody(message, path));
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'x-content-type-options: nosniff',
      'connection: close',
    ];
    if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    socket.destroySoon();
  };

const generalBody = (message: string, path: string | undefined) =>
  path === '/graphql' ? { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] } : { success: false, message };

/** Longer request lines count as unreadable. */
const MAX_LINE = 4_096;

/** The path in the first line of the bytes. They may also be a later part of the request, which has none. */
const pathOf = (bytes: Buffer | undefined): string | undefined =>
  /^[A-Z]+ (\/[^\s?]*)\S* HTTP\/1\.[01]\r?\n/.exec(bytes?.toString('latin1', 0, MAX_LINE) ?? '')?.[1];
