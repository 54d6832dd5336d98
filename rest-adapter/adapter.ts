import multipart from '@fastify/multipart';
import type { Prepare } from 'compiled-gateway';
import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { ERROR_CODE_HEADER, fail } from '../schema/errors.ts';
import { defaultBodyLimit, defaultUploadBudget } from '../schema/limits.ts';
import { type Admit, type FileStore, type Requirement, SESSION_HEADER } from '../schema/request.ts';
import { type AdmissionOptions, admitRequest, anonymousBodyFault, pageOrigin } from '../server/request-admission.ts';
import { cors } from '../server/security.ts';
import type { ReadSession } from '../server/sign-in/cookies.ts';
import type { SendPage } from '../server/static-pages.ts';
import { answer, answerForm } from './answer/answer.ts';
import { errorHandler, type PublicRefusal, refuse, sendRefusal } from './answer/public-refusal.ts';
import { addFallback, isNavigation, pathMatcher, surfacesOf, wellFormed } from './answer/unmatched.ts';
import { type Endpoint, makeEndpoint } from './endpoint.ts';
import { openApiDocument } from './openapi/document.ts';
import { reference } from './openapi/reference.ts';
import { readBody, refuseEncoded } from './request/request-variables.ts';
import { startUploadSweep, UploadBudget } from './request/upload-space.ts';
import { groupByPath, type Route, requirementOf, routes, type Table } from './route.ts';
import { keySchemes, type Surface } from './surfaces.ts';

export interface AdmissionGate extends AdmissionOptions {
  admit: Admit;
  /** Reads the session of the dashboard, which may download and upload files. Without it, cookies do not count. */
  readSession?: ReadSession;
}

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

/** Create a hook that admits the requests of a route and sends refusals in the error format of its surface. */
function admissionHook(gate: AdmissionGate, surface: Surface, requirement: Requirement, route?: Route): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const headers = forwardedHeaders(request, surface);
    const session = acceptsSession(surface, route) ? gate.readSession?.(request) : undefined;
    if (session !== undefined) headers[SESSION_HEADER] = session;
    request.operation = route?.name;
    // A subscription that is resumed after a lost connection must not act twice.
    if (route?.row.stream) headers['x-request-id'] = request.id;
    const refusal = await admitRequest(gate, request, reply, headers, requirement);
    if (refusal?.code === 'NO_ACCESS') request.log.info(NO_ACCESS);
    if (refusal) return refuse(reply, errorOf(refusal), surface, route?.row.statuses);
    // All other routes have refused callers without a key.
    const message = requirement.access === 'public' ? anonymousBodyFault(request) : undefined;
    if (message) return refuse(reply, errorOf({ code: 'INVALID_INPUT', message }), surface, route?.row.statuses);
  };
}

/** The documented message is that of an invalid key, so that no caller learns which organizations exist. */
const NO_ACCESS = 'The key is valid, but its user is not a member of the organization, or no organization has this id or slug';

/** The dashboard downloads by links and uploads by forms. Everything else it does over GraphQL. */
const acceptsSession = ({ keys }: Surface, route: Route | undefined): boolean =>
  keys.length > 0 && route !== undefined && (route.row.reply === 'file' || route.row.files !== undefined);

const errorOf = ({ code, message }: { code: string; message: string }) => ({ message, extensions: { code } });

/** Select the headers for subgraphs. The organization comes only from the URL, and the client address only from the server. */
function forwardedHeaders(request: FastifyRequest, { keys, organization, visitorToken }: Surface): Record<string, string> {
  const headers: Record<string, string> = { 'x-client-address': request.ip };
  for (const scheme of keys) {
    const { header } = keySchemes[scheme];
    const value = request.headers[header];
    if (typeof value === 'string') headers[header] = value;
  }
  const token = visitorToken && request.headers[visitorToken.header];
  if (visitorToken && typeof token === 'string' && token !== '') headers[visitorToken.header] = token;
  const origin = pageOrigin(request);
  if (origin !== undefined) headers.origin = origin;
  if (organization) {
    // A malformed path has neither params nor query.
    const source = ((organization === 'path' ? request.params : request.query) ?? {}) as Record<string, unknown>;
    // Encode the value, because headers are ASCII. This does not change ids and slugs.
    // An empty path segment names no organization and must not select the organization of the key.
    if (source.organization || organization === 'path') headers['x-organization'] = encodeURIComponent(String(source.organization));
  }
  return headers;
}

const malformed: PublicRefusal = { code: 'INVALID_INPUT', message: 'the path is not well-formed' };
const notFound: PublicRefusal = { code: 'NOT_FOUND', message: 'Not Found' };

/**
 * Handle malformed paths, such as an invalid escape or an overlong parameter, in the error format of their surface. They count
 * toward the rate limit. Browser navigations outside of the surfaces are led to the page of the dashboard for an unknown path. Pass it as
 * `frameworkErrors` of the server, because such requests reach no route.
 */
export function unreadablePaths(tables: readonly Table[], listener: Surface['listener'], gate: AdmissionGate) {
  const surfaces = surfacesOf(tables, listener).map((each) => ({
    ...each,
    admit: admissionHook(gate, each.surface, { access: 'public' }),
  }));

  return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const found = surfaces.find(({ pattern }) => pattern.test(request.url));
    if (!found && listener === 'main' && isNavigation(error, request)) return void reply.redirect(wellFormed(request.url));
    if (!found) return void reply.code(404).header(ERROR_CODE_HEADER, 'NOT_FOUND').send({ message: 'Not Found' });
    const { surface, admit } = found;
    reply.headers(surface.headers ?? {});
    try {
      await admit.call(reply.server, request, reply);
      if (!reply.sent) sendRefusal(reply, error.code === 'FST_ERR_BAD_URL' ? malformed : notFound, surface);
    } catch (fault) {
      errorHandler(surface)(fault as FastifyError, request, reply);
    }
  };
}
