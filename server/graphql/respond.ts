import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { codeOf, errors } from '../../schema/errors.ts';
import type { Outcome } from './execution.ts';
import type { Media } from './media.ts';
import { present } from './present.ts';

const types: Record<Media, string> = {
  'application/json': 'application/json; charset=utf-8',
  'application/graphql-response+json': 'application/graphql-response+json; charset=utf-8',
};

/** Seconds until a caller without a key may send a new document again. */
const RETRY_AFTER = 5;

/** Send the result of an operation. Its data is JSON text and is not serialized again. */
export function respond(reply: FastifyReply, media: Media, outcome: Outcome): FastifyReply {
  const status = statusOf(outcome, media);
  // The server counts the other refusals of this kind, and knows when their minute ends.
  if (status === 429 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER);
  return reply.code(status).header('content-type', types[media]).send(textOf(outcome, reply.log));
}

/** The JSON of an outcome, with its errors as callers see them. */
export function textOf({ data, errors: faults, extensions }: Outcome, log: FastifyBaseLogger): string {
  if (!faults && !extensions) return `{"data":${data}}`;
  const parts: string[] = [];
  if (faults) parts.push(`"errors":${JSON.stringify(faults.map((each) => present(each, log)))}`);
  if (data !== undefined) parts.push(`"data":${data}`);
  if (extensions) parts.push(`"extensions":${JSON.stringify(extensions)}`);
  return `{${parts.join(',')}}`;
}

/**
 * A result with data has 200, even if fields failed. Without data, the operation did not run, and the status is that of its code. As GraphQL over
 * HTTP demands, plain JSON has 200 for errors in the document and its variables.
 */
function statusOf({ data, errors: [first] = [] }: Outcome, media: Media): number {
  if (data !== undefined || !first) return 200;
  const status = refusalStatus(first);
  return status === 400 && media === 'application/json' ? 200 : status;
}

/** Unlisted codes mean an invalid document. */
function refusalStatus(error: GraphQLFormattedError): number {
  const code = error.extensions?.code;
  return code !== undefined && !Object.hasOwn(errors, String(code)) ? 400 : errors[codeOf(error)];
}
