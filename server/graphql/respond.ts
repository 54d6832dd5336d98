import type { FastifyReply } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { codeOf, errors } from '../../schema/errors.ts';
import type { Outcome } from './execution.ts';
import type { Media } from './media.ts';
import { present } from './present.ts';

const types: Record<Media, string> = {
  'application/json': 'application/json; charset=utf-8',
  'application/graphql-response+json': 'application/graphql-response+json; charset=utf-8',
};

/** Write what an operation came to: its data is text already and is sent as it is. */
export function respond(reply: FastifyReply, media: Media, outcome: Outcome): FastifyReply {
  return reply.code(statusOf(outcome, media)).header('content-type', types[media]).send(textOf(reply, outcome));
}

function textOf(reply: FastifyReply, { data, errors: faults, extensions }: Outcome): string {
  if (!faults && !extensions) return `{"data":${data}}`;
  const parts: string[] = [];
  if (faults) parts.push(`"errors":${JSON.stringify(faults.map((each) => present(each, reply.log)))}`);
  if (data !== undefined) parts.push(`"data":${data}`);
  if (extensions) parts.push(`"extensions":${JSON.stringify(extensions)}`);
  return `{${parts.join(',')}}`;
}

/** Plain JSON says 200 of all that GraphQL has judged; the media type of GraphQL says what a refusal was. */
function statusOf({ data, errors: [first] = [] }: Outcome, media: Media): number {
  return media === 'application/json' || data !== undefined || !first ? 200 : refusalStatus(first);
}

/** Codes that are not in the list say that the document is at fault. */
function refusalStatus(error: GraphQLFormattedError): number {
  const code = error.extensions?.code;
  return code !== undefined && !Object.hasOwn(errors, String(code)) ? 400 : errors[codeOf(error)];
}
