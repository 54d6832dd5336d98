import multipart from '@fastify/multipart';
import type { Prepare } from 'compiled-gateway';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { fail } from '../schema/errors.ts';
import { defaultBodyLimit, defaultUploadBudget } from '../schema/limits.ts';
import type { FileStore } from '../schema/request.ts';
import { cors } from '../server/security.ts';
import type { SendPage } from '../server/static-pages.ts';
import { type AdmissionGate, admissionHook } from './admission-hook.ts';
import { answer, answerForm } from './answer/answer.ts';
import { errorHandler } from './answer/public-refusal.ts';
import { addFallback, pathMatcher } from './answer/unmatched.ts';
import { type Endpoint, makeEndpoint } from './endpoint.ts';
import { openApiDocument } from './openapi/document.ts';
import { reference } from './openapi/reference.ts';
import { readBody, refuseEncoded } from './request/request-variables.ts';
import { startUploadSweep, UploadBudget } from './request/upload-space.ts';
import { groupByPath, requirementOf, routes, type Table } from './route.ts';
import type { Surface } from './surfaces.ts';

interface RestAdapterOptions extends AdmissionGate {
  tables: readonly Table[];
  /** The API schema. */
  schema: GraphQLSchema;
  /** Plans and compiles an operation. Called once per row, at start. */
  prepare: Prepare;
  /** Stores uploaded files; required by rows with `files`. */
  files?: FileStore;
  /** Limits the forms in progress. All listeners of a process share one. */
  uploads?: UploadBudget;
  /** Serve and document only the surfaces of this listener. */
  listener: Surface['listener'];
  /** The API version in the OpenAPI document. */
  version: string;
  /** Public base URL, for the OpenAPI document. */
  publicUrl?: string;
  /** Origins whose pages may upload files; `*` allows all. */
  corsOrigins?: readonly string[];
  /** Maximum bytes of a request body; default 10 MiB. */
  bodyLimit?: number;
  /** Names of mutations that support `Idempotency-Key`, for the OpenAPI document. */
  idempotent?: readonly string[];
  /** Sends the page for browsers at `/`. Default: a redirect to the reference. */
  sendHome?: SendPage;
}

/**
 * Create the REST API of one listener with its documentation. It parses, validates and prepares every row, and throws an error that
 * names an invalid row.
 */
export function restAdapter(options: RestAdapterOptions): FastifyPluginAsync {
  const { schema, prepare, listener, bodyLimit = defaultBodyLimit } = options;
  const tables = options.tables.filter(({ surface }) => surface.listener === listener);
  const endpoints = tables.flatMap(routes).map((route) => makeEndpoint(route, schema, prepare));

  return async (fastify) => {
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, async (request: FastifyRequest, bytes: Buffer) =>
      readBody(bytes, request.headers['content-type']),
    );
    fastify.addHook('preParsing', refuseEncoded);
    // The admission hook sets these before they are read.
    fastify.decorateRequest('context', null!);
    fastify.decorateRequest('lifetime', null!);
    if (endpoints.some(({ route }) => route.row.files)) {
      const stopSweep = await startUploadSweep();
      fastify.addHook('onClose', stopSweep);
    }
    const { publicUrl, sendHome } = options;
    await fastify.register(reference({ document: () => openApiDocument(options), listener, publicUrl, sendHome }));
    for (const surface of new Set(tables.map((each) => each.surface))) {
      const own = endpoints.filter(({ route }) => route.surface === surface);
      await fastify.register(async (scope) => serve(scope, surface, own, options));
    }
  };
}

function serve(fastify: FastifyInstance, surface: Surface, endpoints: Endpoint[], options: RestAdapterOptions): void {
  const { bodyLimit = defaultBodyLimit, files: store, uploads: budget = new UploadBudget(defaultUploadBudget) } = options;
  const target = store && { store, budget };
  fastify.setErrorHandler(errorHandler(surface));
  const { headers } = surface;
  if (headers)
    fastify.addHook('onRequest', (_, reply, done) => {
      reply.headers(headers);
      done();
    });

  const isForm = pathMatcher(endpoints.filter(({ route }) => route.row.files).map(({ route }) => route.path));
  const allowOrigin = cors(options.corsOrigins ?? []);
  if (options.corsOrigins?.length)
    fastify.addHook('onRequest', async (request, reply) => {
      if (isForm(request.url)) return allowOrigin(request, reply);
    });

  for (const samePath of groupByPath(endpoints, ({ route }) => route)) {
    const [{ route }] = samePath as [Endpoint, ...Endpoint[]];
    const { method, url, row } = route;
    const onRequest = admissionHook(options, surface, requirementOf(route), route);
    const choose = dispatch(samePath);
    const { headers } = row;
    const addRoute = (scope: FastifyInstance) =>
      scope.route({
        method,
        url,
        exposeHeadRoute: !row.stream,
        config: { ignoresBody: row.ignoresBody },
        onRequest: headers ? [async (_, reply) => void reply.headers(headers), onRequest] : onRequest,
        errorHandler: errorHandler(surface, row.statuses),
        handler: (request, reply) =>
          row.files ? answerForm(samePath[0]!, target, request, reply) : answer(choose(request.body), request, reply),
      });
    if (row.files || row.ignoresBody)
      fastify.register(async (scope) => {
        // Only these routes accept forms. `readForm` reports oversized files.
        if (row.files) await scope.register(multipart, { throwFileSizeLimit: false });
        // Ignore other bodies. The handler of a form refuses their content type.
        scope.removeContentTypeParser('*');
        scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, async () => undefined);
        addRoute(scope);
      });
    else addRoute(fastify);
  }
  const own = endpoints.map(({ route }) => route);
  addFallback(fastify, surface, own, admissionHook(options, surface, { access: 'public' }));
}

/** Create a function that selects the endpoint by the `action` of the body, among endpoints with the same path. */
function dispatch(sharing: readonly Endpoint[]): (body: unknown) => Endpoint {
  const [only] = sharing;
  if (only && only.route.action === undefined) return () => only;
  const byAction = new Map(sharing.map((each) => [each.route.action, each]));
  const wrong = `action must be one of ${[...byAction.keys()].join(', ')}`;
  return (body) => {
    const { action } = (body ?? {}) as { action?: unknown };
    const found = typeof action === 'string' ? byAction.get(action) : undefined;
    if (!found) throw fail('INVALID_INPUT', wrong);
    return found;
  };
}
