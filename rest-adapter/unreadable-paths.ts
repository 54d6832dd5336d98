import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { door, type Gate } from './admission.ts';
import { errorHandler, sendRefusal } from './answer.ts';
import type { Refusal } from './failure.ts';
import type { Table } from './route.ts';
import type { Surface } from './surface.ts';

const broken: Refusal = { code: 'INVALID_INPUT', message: 'the path is not well-formed' };
const unknown: Refusal = { code: 'NOT_FOUND', message: 'Not Found' };

/**
 * Answers paths that cannot be read at all (a broken escape, an over-long parameter in the base) in the form of the surface they
 * are under, and counts them as any request. For `frameworkErrors` of the server, because no route is reached.
 */
export function unreadablePaths(tables: readonly Table[], listener: Surface['listener'], gate: Gate) {
  const surfaces = [...new Set(tables.map(({ surface }) => surface))]
    .filter((surface) => surface.listener === listener)
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map((surface) => ({
      surface,
      pattern: new RegExp(`^${surface.base.replace(/:\w+/g, '[^/]+')}(?=[/?]|$)`),
      admitted: door(gate, surface, { access: 'public' }),
    }));

  return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const found = surfaces.find(({ pattern }) => pattern.test(request.url));
    if (!found) return void reply.code(404).send({ message: 'Not Found' });
    const { surface, admitted } = found;
    reply.headers(surface.headers ?? {});
    try {
      await admitted.call(reply.server, request, reply);
      if (!reply.sent) sendRefusal(reply, error.code === 'FST_ERR_BAD_URL' ? broken : unknown, surface);
    } catch (fault) {
      errorHandler(surface)(fault as FastifyError, request, reply);
    }
  };
}

// As in the router, a literal comes before a parameter, and before the end. `~` sorts after every letter.
const rank = ({ base }: Surface) => `${base.replace(/:\w+/g, '~')}/~`;
