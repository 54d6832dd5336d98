import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_CODE_HEADER } from '../../schema/errors.ts';
import { acceptsHtml } from '../../server/pages.ts';
import type { ParserRefusal } from '../../server/parser-errors.ts';
import { pathOf } from '../../server/url-path.ts';
import { type AdmissionGate, admissionHook } from '../admission.ts';
import type { Table } from '../route.ts';
import type { Surface } from '../surface.ts';
import { errorHandler, sendRefusal } from './answer.ts';
import { failureBody, type Refusal } from './failure.ts';

const malformed: Refusal = { code: 'INVALID_INPUT', message: 'the path is not well-formed' };
const notFound: Refusal = { code: 'NOT_FOUND', message: 'Not Found' };

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
