import type { IncomingMessage } from 'node:http';
import multipart from '@fastify/multipart';
import type { Prepare } from 'compiled-gateway';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { isEncoded } from '../schema/content-encoding.ts';
import { fail } from '../schema/errors.ts';
import type { FileStore } from '../schema/files.ts';
import { door, type Gate } from './admission.ts';
import { answer, answerForm, errorHandler } from './answer.ts';
import { readBody } from './body.ts';
import { dispatch } from './dispatch.ts';
import { type Endpoint, makeEndpoint } from './endpoint.ts';
import { addFallback } from './fallback.ts';
import { openApiDocument } from './openapi.ts';
import { reference } from './reference.ts';
import { byPlace, routes, type Table } from './route.ts';
import type { Surface } from './surface.ts';
import { startUploadSweep } from './upload-folders.ts';

export interface RestAdapterOptions extends Gate {
  tables: readonly Table[];
  /** The API as callers see it. */
  schema: GraphQLSchema;
  /** Called once per row, at start. */
  prepare: Prepare;
  /** Where the files of forms go; a row that takes files needs it. */
  files?: FileStore;
  /** Only the surfaces of this listener are served and documented. */
  listener: Surface['listener'];
  /** Of the documents. */
  version: string;
  /** Base address that callers see; the documents say it. */
  publicUrl?: string;
  /** Bytes a request body may have. */
  bodyLimit?: number;
  /** The mutations that take an `Idempotency-Key`; the documents say it. */
  idempotent?: readonly string[];
}

const BODY_LIMIT = 10 * 1024 * 1024;

/**
 * The REST face of one listener with its documents. Every row is parsed, validated and prepared here, so a fault in a table
 * stops the start and names its row.
 */
export function restAdapter(options: RestAdapterOptions): FastifyPluginAsync {
  const { schema, prepare, listener, bodyLimit = BODY_LIMIT } = options;
  const tables = options.tables.filter(({ surface }) => surface.listener === listener);
  const endpoints = tables.flatMap(routes).map((route) => makeEndpoint(route, schema, prepare));

  return async (fastify) => {
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, async (request: FastifyRequest, bytes: Buffer) =>
      readBody(bytes, request.headers['content-type']),
    );
    fastify.addHook('preParsing', async ({ headers, raw }) => {
      if (isEncoded(headers) && hasBody(raw)) throw fail('INVALID_INPUT', 'the body must not have a content encoding');
    });
    // Set by the door, before anything reads them.
    fastify.decorateRequest('context', null!);
    fastify.decorateRequest('lifetime', null!);
    if (endpoints.some(({ route }) => route.row.files)) {
      const stopSweep = await startUploadSweep();
      fastify.addHook('onClose', stopSweep);
    }
    await fastify.register(reference(openApiDocument(options), options.publicUrl));
    for (const surface of new Set(tables.map((each) => each.surface))) {
      const own = endpoints.filter(({ route }) => route.surface === surface);
      await fastify.register(async (scope) => serve(scope, surface, own, options));
    }
  };
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function serve(fastify: FastifyInstance, surface: Surface, endpoints: Endpoint[], options: RestAdapterOptions): void {
  const { bodyLimit = BODY_LIMIT } = options;
  fastify.setErrorHandler(errorHandler(surface));
  const { headers } = surface;
  if (headers) fastify.addHook('onRequest', async (_, reply) => void reply.headers(headers));

  for (const sharing of byPlace(endpoints, ({ route }) => route)) {
    const [{ route }] = sharing as [Endpoint, ...Endpoint[]];
    const { method, url, row } = route;
    const admitted = door(options, surface, row.requires ?? surface.requires, route);
    const choose = dispatch(sharing);
    const { headers } = row;
    const place = (scope: FastifyInstance) =>
      scope.route({
        method,
        url,
        exposeHeadRoute: true,
        onRequest: headers ? [async (_, reply) => void reply.headers(headers), admitted] : admitted,
        errorHandler: errorHandler(surface, row.statuses),
        handler: (request, reply) =>
          row.files ? answerForm(sharing[0]!, options.files, request, reply) : answer(choose(request.body), request, reply),
      });
    // Only there: everywhere else a form is the wrong kind of body.
    if (row.files)
      fastify.register(async (forms) => {
        // A file that is too large is found where it is read.
        await forms.register(multipart, { throwFileSizeLimit: false });
        // The handler refuses every other kind of body; what is in it does not matter.
        forms.removeContentTypeParser('*');
        forms.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, async () => undefined);
        place(forms);
      });
    else place(fastify);
  }
  const own = endpoints.map(({ route }) => route);
  addFallback(fastify, surface, own, door(options, surface, { access: 'public' }));
}
