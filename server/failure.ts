import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import { codeOf, errors } from '../schema/errors.ts';

/** What keeps a request from being read: a status and a sentence. */
export const refused = (status: number, message: string): Error => Object.assign(new Error(message), { statusCode: status });

/** What a thrown error is to an HTTP caller. Anything that is not the caller's fault, or says nothing of itself, is masked. */
export function failureOf(error: FastifyError | Error): { status: number; message: string } {
  const status = statusOf(error);
  return status === 500 ? { status, message: 'Internal Server Error' } : { status, message: error.message };
}

function statusOf(error: FastifyError | Error): number {
  if (error instanceof GraphQLError) return errors[codeOf(error.toJSON())];
  const { statusCode = 500, code } = error as FastifyError;
  // A Host header that makes no URL.
  if (code === 'ERR_INVALID_URL') return 400;
  return statusCode >= 400 && statusCode < 500 ? statusCode : 500;
}

/** The id of a masked failure is that of the request: in the `x-request-id` header and in each line of the log. */
export function answerFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message } = failureOf(error);
  if (status >= 500) request.log.error({ err: error }, 'request failed');
  return reply.code(status).send({ success: false, message });
}

export function answerNotFound(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ success: false, message: 'Not found' });
}
