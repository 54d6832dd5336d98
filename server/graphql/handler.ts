import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, OperationTypeNode } from 'graphql';
import { fail } from '../../schema/errors.ts';
import type { Admit } from '../../schema/request.ts';
import { throwRefusal, writeLimit } from '../admission.ts';
import { httpError } from '../failure.ts';
import type { Accept, Accepted } from './accept.ts';
import type { Allowance } from './allowance.ts';
import { chargeOperation, refusalOf } from './charge.ts';
import type { ExecutionRequest } from './execution.ts';
import type { Front } from './front.ts';
import { mediaFor } from './media.ts';
import { errorsOf } from './present.ts';
import type { Parameters } from './read.ts';
import { readParameters } from './read.ts';
import { respond } from './respond.ts';

interface HandlerOptions {
  accept: Accept;
  front: Front;
  /** Counts expensive operations. */
  admit?: Admit;
  /** Limits new documents of callers without a key. */
  allowance?: Allowance;
  /** Maximum cost of an operation. */
  costLimit: number;
}

/** Create the HTTP handler of operations, following the GraphQL over HTTP specification. */
export function createHandler({ accept, front, admit, allowance, costLimit }: HandlerOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const media = mediaFor(request.headers.accept);
    if (!media) {
      const isStream = request.headers.accept?.includes('text/event-stream');
      throw httpError(406, isStream ? OVER_WEB_SOCKET : 'Answers are application/graphql-response+json or application/json');
    }
    const parameters = readParameters(request);
    let accepted: Accepted;
    let document: DocumentNode;
    const meter = allowance?.meterOf(request.context);
    try {
      document = front.read(parameters, meter);
      accepted = accept(document, parameters.operationName);
      request.operation = accepted.title;
    } catch (error) {
      return respond(reply, media, { errors: errorsOf(error) });
    }
    if (accepted.kind === OperationTypeNode.SUBSCRIPTION) return respond(reply, media, { errors: [overWebSocket()] });
    const isPost = request.method === 'POST';
    if (!isPost && accepted.kind !== OperationTypeNode.QUERY) {
      reply.header('allow', 'POST');
      throw httpError(405, 'Only queries may be sent by GET');
    }
    throwRefusal(await refusalOf(admit, request.context, accepted, request.organizationId));
    const charged = await chargeOperation({ admit, limit: costLimit }, request.context, accepted, parameters.variables);
    if (charged) writeLimit(reply, charged);
    throwRefusal(charged?.refusal);
    const outcome = await front.answer({
      accepted,
      document,
      parameters,
      execution: { ...executionRequestOf(request, parameters), meter },
      request,
      reply,
    });
    if (!isPost && accepted.schemaOnly && !outcome.errors) allowSharedCaching(reply);
    return respond(reply, media, outcome);
  };
}

const executionRequestOf = (
  { context, lifetime, headers }: FastifyRequest,
  { variables, extensions }: Parameters,
): ExecutionRequest => ({
  variables,
  context,
  lifetime,
  wantsCost: headers['x-graphql-cost'] === '1' || extensions?.cost === true,
});

/** Let shared caches store introspection results, because they are the same for all callers. */
function allowSharedCaching(reply: FastifyReply): void {
  reply.headers({ 'cache-control': 'public, max-age=60', vary: 'accept, origin' });
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) reply.removeHeader(name);
}

const OVER_WEB_SOCKET = 'Subscriptions run over WebSocket at this address, by the subprotocol graphql-transport-ws';
const overWebSocket = () => fail('INVALID_INPUT', OVER_WEB_SOCKET);
