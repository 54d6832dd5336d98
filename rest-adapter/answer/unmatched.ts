import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { ERROR_CODE_HEADER } from '../../schema/errors.ts';
import type { ParserRefusal } from '../../server/failure.ts';
import { acceptsHtml } from '../../server/static-pages.ts';
import { type AdmissionGate, admissionHook } from '../admission-hook.ts';
import type { Route, Table } from '../route.ts';
import type { Surface } from '../surfaces.ts';
import { errorHandler, failureBody, type PublicRefusal, sendRefusal } from './public-refusal.ts';

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

/** Whether a browser opens a page by a path with an invalid escape. */
const isNavigation = ({ code }: FastifyError, request: FastifyRequest): boolean =>
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
const surfacesOf = (tables: readonly Table[], listener: Surface['listener']) =>
  [...new Set(tables.map(({ surface }) => surface))]
    .filter((surface) => surface.listener === listener)
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map((surface) => ({ surface, pattern: new RegExp(`^${surface.base.replace(/:\w+/g, '[^/]+')}(?=[/?]|$)`) }));

// As in the router, literals precede parameters and the end of the path. `~` sorts after all letters.
const rank = ({ base }: Surface) => `${base.replace(/:\w+/g, '~')}/~`;

const pathOf = (url: string): string => url.split('?', 1)[0]!;
