import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
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

/** Error handler. To find the cause of a masked error, search the log for the `x-request-id` of the response. */
export function answerFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
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
export const codeOfStatus = (status: number): ErrorCode =>
  codes[status] ?? (status < 500 ? 'INVALID_INPUT' : 'INTERNAL_SERVER_ERROR');
