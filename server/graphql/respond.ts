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

/** Send the result of an operation. Its data is JSON text and is not serialized again. */
export function respond(reply: FastifyReply, media: Media, outcome: Outcome): FastifyReply {
  return reply.code(statusOf(outcome, media)).header('content-type', types[media]).send(textOf(outcome, reply.log));
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

/** With plain JSON every GraphQL result has status 200; the GraphQL media type uses the status of the refusal. */
function statusOf({ data, errors: [first] = [] }: Outcome, media: Media): number {
  return media === 'application/json' || data !== undefined || !first ? 200 : refusalStatus(first);
}

/** Unlisted codes mean an invalid document. */
function refusalStatus(error: GraphQLFormattedError): number {
  const code = error.extensions?.code;
  return code !== undefined && !Object.hasOwn(errors, String(code)) ? 400 : errors[codeOf(error)];
}
