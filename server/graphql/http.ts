import { isUtf8, mediaFor, type Outcome, partsFormatFor } from 'compiled-gateway/graphql-over-http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, OperationTypeNode } from 'graphql';
import { fail } from '../../schema/errors.ts';
import { isObject } from '../../schema/json.ts';
import type { Admit } from '../../schema/request.ts';
import { httpError } from '../failure.ts';
import { hasDuplicateKeys, isEncoded, measureJson, namesKeyTwice } from '../input-limits.ts';
import { throwRefusal, writeLimit } from '../request-admission.ts';
import { type Accept, type Accepted, chargeOperation, type ExecutionRequest, refusalOf } from './accepted-operation.ts';
import type { Allowance } from './allowance.ts';
import type { ReadDocument } from './documents.ts';
import { errorsOf, respond, respondInParts } from './graphql-response.ts';

/** A validated operation of an HTTP request. */
interface HttpOperation {
  accepted: Accepted;
  document: DocumentNode;
  parameters: Parameters;
  execution: ExecutionRequest;
  request: FastifyRequest;
  /** Receives the response headers of the executor. */
  reply: FastifyReply;
}

/** Runs the operations of HTTP requests. Admission, limits and response formats are the same for every executor. */
export interface HttpExecutor {
  read: ReadDocument;
  answer(request: HttpOperation): Promise<Outcome>;
}

interface HandlerOptions {
  accept: Accept;
  executor: HttpExecutor;
  /** Counts expensive operations. */
  admit?: Admit;
  /** Limits new documents of callers without a key. */
  allowance?: Allowance;
  /** Maximum cost of an operation. */
  costLimit: number;
}

/** Create the HTTP handler of operations, following the GraphQL over HTTP specification. */
export function createHandler({ accept, executor, admit, allowance, costLimit }: HandlerOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const parts = partsFormatFor(request.headers.accept);
    // A client that accepts only parts gets a refusal as JSON.
    const whole = mediaFor(request.headers.accept);
    const media = whole ?? (parts && 'application/json');
    if (!media) {
      const isStream = request.headers.accept?.includes('text/event-stream');
      throw httpError(
        406,
        isStream ? OVER_WEB_SOCKET : 'The Accept header must allow application/graphql-response+json or application/json',
      );
    }
    const parameters = readParameters(request);
    let accepted: Accepted;
    let document: DocumentNode;
    const meter = allowance?.meterOf(request.context);
    try {
      document = executor.read(parameters, meter);
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
    const outcome = await executor.answer({
      accepted,
      document,
      parameters,
      execution: { ...executionRequestOf(request, parameters), meter, inParts: parts !== undefined },
      request,
      reply,
    });
    if (parts && (outcome.deferred || !whole)) return respondInParts(reply, parts, outcome);
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

/** The parameters of a GraphQL request, with checked types. */
export interface Parameters {
  query?: string;
  /** Id of a trusted document, instead of a query. */
  documentId?: string;
  operationName?: string;
  variables?: Record<string, unknown>;
  extensions?: Record<string, unknown>;
}

/** Headers that trigger a CORS preflight. */
const preflightHeaders = ['x-api-key', 'apollo-require-preflight', 'graphql-require-preflight', 'x-apollo-operation-name'] as const;

/**
 * Prevent CSRF and reject unsupported bodies. Another site can send a simple GET or a form without a preflight; JSON and the
 * headers above require one.
 */
export function checkReadable({ method, headers }: FastifyRequest): void {
  const [type, ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const json = type!.trim() === 'application/json';
  if (method !== 'POST') {
    if (json || preflightHeaders.some((name) => headers[name])) return;
    throw httpError(
      400,
      `A GET request needs one of the headers ${preflightHeaders.join(', ')}, so that no other site can make it`,
    );
  }
  if (type!.trim() === 'multipart/form-data') {
    throw httpError(415, 'Upload files to the REST API, and send the operation with the returned ids as application/json');
  }
  if (!json) throw httpError(415, 'Send the operation as application/json');
  const charset = parameters.find((each) => each.trim().startsWith('charset='));
  if (charset && !isUtf8(charset.slice(charset.indexOf('=') + 1).trim())) throw httpError(415, 'Send the operation in UTF-8');
  if (isEncoded(headers)) throw httpError(415, 'Send the operation without a content encoding');
}

/** Read the parameters of a request. Throws a 400 error when they are invalid. */
function readParameters({ method, body, query }: FastifyRequest): Parameters {
  if (Array.isArray(body)) throw httpError(400, 'Batching is not supported: send one operation per request');
  const parameters = method === 'POST' ? readParts(body, fromJson) : readParts(query, fromText);
  if (!parameters.query && !parameters.documentId && !parameters.extensions?.persistedQuery)
    throw httpError(400, 'The request must have a query');
  return parameters;
}

const fromJson = (_: string, value: unknown): unknown => value ?? undefined;

/** Parse a query parameter. Empty text is absent; `variables` and `extensions` are JSON. */
function fromText(name: string, value: unknown): unknown {
  if (value === '') return undefined;
  if ((name !== 'variables' && name !== 'extensions') || typeof value !== 'string') return value;
  if (namesKeyTwice(value)) throw httpError(400, `The parameter ${name} has a duplicate key in an object`);
  try {
    return JSON.parse(value) ?? undefined;
  } catch {
    throw httpError(400, `The parameter ${name} must be JSON`);
  }
}

function readParts(given: unknown, part: (name: string, value: unknown) => unknown): Parameters {
  if (!isObject(given)) throw httpError(400, 'The body must be an object with a query');
  const text = (name: string) => {
    const value = part(name, given[name]);
    if (value !== undefined && typeof value !== 'string') throw httpError(400, `The parameter ${name} must be text`);
    return value;
  };
  const map = (name: string) => {
    const value = part(name, given[name]);
    if (value !== undefined && !isObject(value)) throw httpError(400, `The parameter ${name} must be an object`);
    return value;
  };
  return {
    query: text('query'),
    documentId: text('documentId'),
    operationName: text('operationName'),
    variables: map('variables'),
    extensions: map('extensions'),
  };
}

/**
 * Parse bodies as JSON only. Refuses objects with duplicate keys, because parsers disagree on which value counts, and with keys that could
 * change the prototype of an object.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain');
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) =>
    parseJson(request, String(text), (error, value) => {
      if (error) return done(isJson(String(text)) ? httpError(400, POISONED) : error, undefined);
      const isAmbiguous = hasDuplicateKeys(value, measureJson(String(text)).members);
      return done(isAmbiguous ? httpError(400, 'The body has a duplicate key in an object') : null, value);
    }),
  );
}

/** The only reason for which the parser refuses valid JSON. */
const POISONED = 'The body must not have an object with the key __proto__, or constructor with the key prototype';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
