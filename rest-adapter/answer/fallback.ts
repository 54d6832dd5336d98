import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { pathOf } from '../../server/url-path.ts';
import type { Route } from '../route.ts';
import type { Surface } from '../surface.ts';
import { sendRefusal } from './answer.ts';

/** Handle requests under the base path of a surface that match no row: OPTIONS, 405 and 404. */
export function addFallback(
  fastify: FastifyInstance,
  surface: Surface,
  routes: readonly Route[],
  admit: onRequestAsyncHookHandler,
): void {
  const patterns = routes.map(({ method, path, row }) => ({ method, pattern: patternOf(path), headers: row.headers ?? {} }));
  const matching = (request: FastifyRequest) => {
    const path = pathOf(request.url);
    return patterns.filter(({ pattern }) => pattern.test(path));
  };

  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    const rows = matching(request);
    const allowed = [...new Set(allowedMethods(rows))];
    if (request.method === 'OPTIONS' && allowed.length > 0) {
      for (const { headers } of rows) reply.headers(headers);
      return sendOptions(reply, allowed, surface);
    }
    await admit.call(fastify, request, reply);
    if (reply.sent) return;
    // A path can match the pattern but no route, when a parameter exceeds the maximum length.
    if (allowed.length === 0 || allowed.includes(request.method)) {
      return sendRefusal(reply, { code: 'NOT_FOUND', message: 'Not Found' }, surface);
    }
    reply.header('allow', allowed.join(', '));
    return sendRefusal(reply, { code: 'METHOD_NOT_ALLOWED', message: 'Method Not Allowed' }, surface);
  };

  const handler = () => {};
  const atBase = allowedMethods(routes.filter(({ url }) => url === surface.base));
  const otherMethods = fastify.supportedMethods.filter((method) => !atBase.includes(method));
  fastify.route({ method: otherMethods, url: surface.base, onRequest, handler });
  fastify.route({ method: fastify.supportedMethods, url: `${surface.base}/*`, onRequest, handler });
}

const allowedMethods = (routes: readonly Pick<Route, 'method'>[]): string[] =>
  routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

function sendOptions(reply: FastifyReply, allowed: string[], { allowedHeaders = [] }: Surface): FastifyReply {
  const methods = allowed.join(', ');
  if (reply.hasHeader('access-control-allow-origin')) {
    reply.headers({
      'access-control-allow-methods': methods,
      'access-control-allow-headers': ['content-type', ...allowedHeaders].join(', '),
      'access-control-max-age': '600',
    });
  }
  return reply.code(204).header('allow', methods).send();
}

/** Whether a URL has one of these paths, regardless of its query. */
export function pathMatcher(paths: readonly string[]): (url: string) => boolean {
  const patterns = paths.map(patternOf);
  return (url) => patterns.some((pattern) => pattern.test(pathOf(url)));
}

const patternOf = (path: string) => new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`);
