import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { sendRefusal } from './answer.ts';
import type { Refusal } from './failure.ts';
import type { Table } from './route.ts';
import type { Surface } from './surface.ts';

const broken: Refusal = { code: 'INVALID_INPUT', message: 'the path is not well-formed' };
const unknown: Refusal = { code: 'NOT_FOUND', message: 'Not Found' };

/**
 * Answers paths that cannot be read at all (a broken escape, an over-long parameter in the base) in the form of the surface they
 * are under. For `frameworkErrors` of the server, because no route is reached.
 */
export function unreadablePaths(tables: readonly Table[], listener: Surface['listener']) {
  const surfaces = [...new Set(tables.map(({ surface }) => surface))]
    .filter((surface) => surface.listener === listener)
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map((surface) => ({ surface, pattern: new RegExp(`^${surface.base.replace(/:\w+/g, '[^/]+')}(?=[/?]|$)`) }));

  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const surface = surfaces.find(({ pattern }) => pattern.test(request.url))?.surface;
    if (!surface) return void reply.code(404).send({ message: 'Not Found' });
    reply.headers(surface.headers ?? {});
    void sendRefusal(reply, error.code === 'FST_ERR_BAD_URL' ? broken : unknown, surface);
  };
}

// As in the router, a literal comes before a parameter, and before the end. `~` sorts after every letter.
const rank = ({ base }: Surface) => `${base.replace(/:\w+/g, '~')}/~`;
