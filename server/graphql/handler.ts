import type { FastifyReply, FastifyRequest } from 'fastify';
import { OperationTypeNode } from 'graphql';
import { fail } from '../../schema/errors.ts';
import { refused } from '../failure.ts';
import type { Accept, Accepted } from './accept.ts';
import type { ReadWanted } from './documents.ts';
import type { Asked, Execution, Outcome } from './execution.ts';
import type { Media } from './media.ts';
import { mediaFor } from './media.ts';
import { errorsOf } from './present.ts';
import type { Sent } from './read.ts';
import { readSent } from './read.ts';
import { respond } from './respond.ts';

interface Behind {
  read: ReadWanted;
  accept: Accept;
  execution: Execution;
}

/** Answers one operation, by the specification of GraphQL over HTTP. */
export function createHandler({ read, accept, execution }: Behind) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const media = mediaFor(request.headers.accept);
    if (!media) throw refused(406, 'Answers are application/graphql-response+json or application/json');
    const sent = readSent(request);
    let accepted: Accepted;
    try {
      accepted = accept(read(sent), sent.operationName);
    } catch (error) {
      return respond(reply, media, { errors: errorsOf(error) });
    }
    if (accepted.kind === OperationTypeNode.SUBSCRIPTION) return respond(reply, media, { errors: [overWebSocket()] });
    if (request.method === 'POST') return respond(reply, media, await execution.answer(accepted, askedBy(request, sent)));

    if (accepted.kind !== OperationTypeNode.QUERY) {
      reply.header('allow', 'POST');
      throw refused(405, 'Only queries may be sent by GET');
    }
    return answerGet(reply, media, accepted, await execution.answer(accepted, askedBy(request, sent)));
  };
}

const askedBy = ({ context, lifetime, headers }: FastifyRequest, { variables, extensions }: Sent): Asked => ({
  variables,
  context,
  lifetime,
  wantsCost: headers['x-graphql-cost'] === '1' || extensions?.cost === true,
});

/** What is said about the schema is the same for everyone, so caches may keep it for a while; anything else is its caller's. */
function answerGet(reply: FastifyReply, media: Media, { schemaOnly }: Accepted, outcome: Outcome): FastifyReply {
  if (schemaOnly && !outcome.errors) {
    reply.headers({ 'cache-control': 'public, max-age=60', vary: 'accept, origin' });
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) reply.removeHeader(name);
  }
  return respond(reply, media, outcome);
}

const overWebSocket = () =>
  fail('INVALID_INPUT', 'Subscriptions run over WebSocket at this address, by the subprotocol graphql-transport-ws');
