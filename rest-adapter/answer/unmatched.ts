import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { ParserRefusal } from '../../server/failure.ts';
import { acceptsHtml } from '../../server/static-pages.ts';
import type { Route, Table } from '../route.ts';
import type { Surface } from '../surfaces.ts';
import { failureBody, sendRefusal } from './public-refusal.ts';

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

/** Whether a browser opens a page by a path with an invalid escape. */
export const isNavigation = ({ code }: FastifyError, request: FastifyRequest): boolean =>
  code === 'FST_ERR_BAD_URL' && ['GET', 'HEAD'].includes(request.method) && acceptsHtml(request);

/** The path with escaped percent signs, on this host: browsers read `//` and a backslash as the start of another one. */
export const wellFormed = (url: string): string =>
  `/${pathOf(url)
    .replace(/^[/\\]+/, '')
    .replace(/[^\x21-\x7e]|[%#\\]/g, encodeURIComponent)}`;

/** The body of a request that the HTTP parser refuses, in the error format of the surface of its path. */
export function parserRefusals(tables: readonly Table[], listener: Surface['listener']): ParserRefusal {
  const surfaces = surfacesOf(tables, listener);
  return (status, message, path = '') => {
    if (path === '/mcp') return { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
    const found = surfaces.find(({ pattern }) => pattern.test(path));
    return found && failureBody({ code: 'INVALID_INPUT', message }, status, found.surface);
  };
}

/** The surfaces of a listener with the patterns of their paths, the most specific first. */
export const surfacesOf = (tables: readonly Table[], listener: Surface['listener']) =>
  [...new Set(tables.map(({ surface }) => surface))]
    .filter((surface) => surface.listener === listener)
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map((surface) => ({ surface, pattern: new RegExp(`^${surface.base.replace(/:\w+/g, '[^/]+')}(?=[/?]|$)`) }));

// As in the router, literals precede parameters and the end of the path. `~` sorts after all letters.
const rank = ({ base }: Surface) => `${base.replace(/:\w+/g, '~')}/~`;

const pathOf = (url: string): string => url.split('?', 1)[0]!;
