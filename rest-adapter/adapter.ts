import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Admit, Operation } from '../schema/request.ts';
import { door } from './admission.ts';
import { answer, errorHandler, sendRefusal } from './answer.ts';
import { readBody } from './body.ts';
import { type Endpoint, makeEndpoint } from './endpoint.ts';
import { addFallback } from './fallback.ts';
import { openApiDocument } from './openapi.ts';
import { reference } from './reference.ts';
import { routes, type Table } from './route.ts';
import type { Surface } from './surface.ts';

export interface RestAdapterOptions {
  tables: readonly Table[];
  /** The API as callers see it. */
  schema: GraphQLSchema;
  /** Called once per row, at start. */
  prepare: (document: DocumentNode) => Operation;
  admit: Admit;
  /** Only the surfaces of this listener are served and documented. */
  listener: Surface['listener'];
  /** Of the documents. */
  version: string;
  /** Base address that callers see; the documents say it. */
  publicUrl?: string;
  /** Bytes a request body may have. */
  bodyLimit?: number;
}

/**
 * The REST face of one listener with its documents. Every row is parsed, validated and prepared here, so a fault in a table
 * stops the start and names its row.
 */
export function restAdapter(options: RestAdapterOptions): FastifyPluginAsync {
  const { schema, prepare, admit, listener, bodyLimit = 10 * 1024 * 1024 } = options;
  const tables = options.tables.filter(({ surface }) => surface.listener === listener);
  const endpoints = tables.flatMap(routes).map((route) => makeEndpoint(route, schema, prepare));

  return async (fastify) => {
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, async (request: FastifyRequest, bytes: Buffer) =>
      readBody(bytes, request.headers['content-type']),
    );
    // Set by the door, before anything reads it.
    fastify.decorateRequest('forwarded', null!);
    await fastify.register(reference(openApiDocument(options), options.publicUrl));
    for (const surface of new Set(tables.map((each) => each.surface))) {
      await fastify.register(async (scope) =>
        serve(
          scope,
          surface,
          endpoints.filter(({ route }) => route.surface === surface),
          admit,
        ),
      );
    }
  };
}

function serve(fastify: FastifyInstance, surface: Surface, endpoints: Endpoint[], admit: Admit): void {
  fastify.setErrorHandler(errorHandler(surface));
  const { headers = {} } = surface;
  fastify.addHook('onRequest', async (_, reply) => void reply.headers(headers));

  for (const endpoint of endpoints) {
    const { method, url, row } = endpoint.route;
    const admitted = door(admit, surface, row.requires ?? surface.requires, endpoint.route);
    fastify.route({
      method,
      url,
      exposeHeadRoute: true,
      onRequest: row.headers ? [async (_, reply) => void reply.headers(row.headers!), admitted] : admitted,
      errorHandler: errorHandler(surface, row.statuses),
      handler: (request, reply) => answer(endpoint, request, reply),
    });
  }
  const open = door(admit, surface, { access: 'public' });
  addFallback(
    fastify,
    surface,
    endpoints.map(({ route }) => route),
    open,
  );
}

/**
 * Answers paths that cannot be read at all (a broken escape, an over-long first parameter) in the form of the surface they are
 * under. For `frameworkErrors` of the server, because no route is reached.
 */
export function unreadablePaths(tables: readonly Table[], listener: Surface['listener']) {
  const surfaces = [...new Set(tables.map(({ surface }) => surface))]
    .filter((surface) => surface.listener === listener)
    .map((surface) => ({ surface, pattern: new RegExp(`^${surface.base.replace(/:\w+/g, '[^/]+')}(?=/|$)`) }))
    // Literal segments win over parameters, and a longer base over one that it begins with, as in the router.
    .sort((a, b) => literalness(b.surface.base) - literalness(a.surface.base));

  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const surface = surfaces.find(({ pattern }) => pattern.test(request.url.split('?', 1)[0]!))?.surface;
    if (!surface) return void reply.code(404).send({ message: 'Not Found' });
    const broken = error.code === 'FST_ERR_BAD_URL';
    reply.headers(surface.headers ?? {});
    void sendRefusal(
      reply,
      broken ? { code: 'INVALID_INPUT', message: 'the path is not well-formed' } : { code: 'NOT_FOUND', message: 'Not Found' },
      surface,
    );
  };
}

const literalness = (base: string) => base.replace(/:\w+/g, '').length;
