import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contentTypes, type Media, mediaFor, multipartOf, type Outcome, partsFormatFor, textOf } from '../graphql-over-http.ts';
import { type Identify, ResponseBudget, signalOf } from './identified-caller.ts';
import {
  checkCost,
  errorsOf,
  type FindOperation,
  isQueryOperation,
  isSubscription,
  type OperationRequest,
  present,
  refusal,
  statusOf,
} from './operations.ts';
import type { CallerContext, IncomingRequest, Plugin } from './plugin.ts';
import type { Configuration } from './server-configuration.ts';

export interface FrontOptions {
  configuration: Configuration;
  find: FindOperation;
  identify: Identify;
  plugins: readonly Plugin[];
}

/** Headers that a browser sends to another site only after a preflight. */
const PREFLIGHT = ['apollo-require-preflight', 'graphql-require-preflight', 'x-apollo-operation-name'];

/** Serve operations by GET and POST, as GraphQL over HTTP describes. */
export function graphqlRoute(app: FastifyInstance, options: FrontOptions): void {
  const { configuration } = options;
  const { path, responseHeaders } = configuration.server;
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff', ...responseHeaders });
  });
  app.route({ method: ['GET', 'POST'], url: path, handler: (request, reply) => handle(request, reply, options) });
  app.route({
    method: ['PUT', 'PATCH', 'DELETE'],
    url: path,
    async onRequest(_request, reply) {
      reply.header('allow', 'GET, POST');
      throw new HttpError(405, 'Operations are sent by GET or POST');
    },
    handler: () => {},
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500;
    const code = status === 429 ? 'RATE_LIMITED' : 'BAD_REQUEST';
    const errors = status < 500 ? [refusal(code, error.message).toJSON()] : errorsOf(error, request.log);
    return send(reply, mediaFor(request.headers.accept) ?? 'application/json', { errors }, status);
  });
}

async function handle(request: FastifyRequest, reply: FastifyReply, options: FrontOptions): Promise<FastifyReply> {
  const parts = partsFormatFor(request.headers.accept);
  const media = mediaFor(request.headers.accept) ?? (parts && 'application/json');
  if (!media) throw new HttpError(406, 'The Accept header must allow application/graphql-response+json or application/json');
  const { configuration, find, identify } = options;
  try {
    const given = parametersOf(request);
    const context = await contextOf(request, reply, configuration, identify);
    const operation = find(given);
    const variables = given.variables ?? {};
    if (isSubscription(operation))
      throw refusal('BAD_REQUEST', 'Subscriptions run over WebSocket at this address, by the subprotocol graphql-transport-ws');
    if (request.method === 'GET' && !isQueryOperation(operation)) {
      reply.header('allow', 'POST');
      return send(reply, media, { errors: [refusal('BAD_REQUEST', 'Only queries may be sent by GET').toJSON()] }, 405);
    }
    checkCost(operation, variables, configuration.limits.cost);
    const { execute, executeInParts = execute } = operation.plan();
    const outcome = await withHooks(await (parts ? executeInParts : execute)(variables, context), context.caller, options.plugins);
    if (parts && outcome.deferred) {
      const { contentType, body } = multipartOf(outcome, parts, present);
      return reply.code(200).header('content-type', contentType).send(body);
    }
    return send(reply, media, outcome);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    return send(reply, media, { errors: errorsOf(error, request.log) });
  }
}

/** The response of an operation after the hooks of plugins. */
export async function withHooks(outcome: Outcome, caller: IncomingRequest, plugins: readonly Plugin[]): Promise<Outcome> {
  let current = outcome;
  for (const plugin of plugins) current = (await plugin.onResponse?.(current, caller)) ?? current;
  return current;
}

async function contextOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { server }: Configuration,
  identify: Identify,
): Promise<CallerContext> {
  const { signal, leave } = signalOf(server.timeoutSeconds);
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) leave();
  });
  const identified = await (request.identified ?? identify(headersOf(request), request.ip));
  return { ...identified, signal, budget: new ResponseBudget(server.responseBytes) };
}

/** The headers of a request. Of a header that is sent twice, Node keeps the first or joins them. */
export const headersOf = ({ headers }: Pick<FastifyRequest, 'headers'>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));

/** Send a result. Its data is JSON text and is not serialized again. */
function send(reply: FastifyReply, media: Media, outcome: Outcome, status = statusFor(outcome, media)): FastifyReply {
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return reply.code(status).header('content-type', contentTypes[media]).send(textOf(outcome, present));
}

/** Without data the operation did not run, and the status is that of its first error. Plain JSON has 200 for faults of the document. */
function statusFor({ data, errors }: Outcome, media: Media): number {
  const [first] = errors ?? [];
  if (data !== undefined || !first) return 200;
  const status = statusOf(first);
  return status === 400 && media === 'application/json' ? 200 : status;
}

interface Parameters extends OperationRequest {
  variables?: Record<string, unknown>;
}

/** Read the parameters of a request. Throws for one that another site could make a browser send. */
function parametersOf({ method, headers, body, query }: FastifyRequest): Parameters {
  if (method === 'POST') return checked(body);
  const isSafe = headers['content-type']?.startsWith('application/json') || PREFLIGHT.some((name) => headers[name]);
  if (!isSafe)
    throw new HttpError(400, `A GET request needs one of the headers ${PREFLIGHT.join(', ')}, so that no other site can make it`);
  const { variables, extensions, ...texts } = query as Record<string, unknown>;
  return checked({ ...texts, variables: parsed('variables', variables), extensions: parsed('extensions', extensions) });
}

function parsed(name: string, text: unknown): unknown {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(String(text));
  } catch {
    throw new HttpError(400, `The parameter ${name} must be JSON`);
  }
}

function checked(given: unknown): Parameters {
  if (Array.isArray(given)) throw new HttpError(400, 'Batching is not supported: send one operation per request');
  if (typeof given !== 'object' || given === null) throw new HttpError(400, 'The body must be an object with a query');
  const parameters = given as Record<string, unknown>;
  for (const name of ['query', 'operationName', 'documentId']) {
    if (parameters[name] != null && typeof parameters[name] !== 'string')
      throw new HttpError(400, `The parameter ${name} must be text`);
  }
  for (const name of ['variables', 'extensions']) {
    const value = parameters[name];
    if (value != null && (typeof value !== 'object' || Array.isArray(value)))
      throw new HttpError(400, `The parameter ${name} must be an object`);
  }
  const { query, operationName, documentId, variables, extensions } = parameters;
  return {
    query: query ?? undefined,
    operationName: operationName || undefined,
    documentId: documentId ?? undefined,
    variables: variables ?? undefined,
    extensions: extensions ?? undefined,
  } as Parameters;
}

/** A refusal before GraphQL. Plugins may throw errors of other libraries that have a status, and those are masked. */
class HttpError extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
  }
}
