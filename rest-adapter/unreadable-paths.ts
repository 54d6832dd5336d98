import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type AdmissionGate, admissionHook } from './admission.ts';
import { errorHandler, sendRefusal } from './answer.ts';
import type { Refusal } from './failure.ts';
import type { Table } from './route.ts';
import type { Surface } from './surface.ts';

const malformed: Refusal = { code: 'INVALID_INPUT', message: 'the path is not well-formed' };
const notFound: Refusal = { code: 'NOT_FOUND', message: 'Not Found' };

/**
 * Handle malformed paths, such as an invalid escape or an overlong parameter, in the error format of their surface. They count
 * toward the rate limit. Pass it as `frameworkErrors` of the server, because such requests reach no route.
 */
export function unreadablePaths(tables: readonly Table[], listener: Surface['listener'], gate: AdmissionGate) {
  const surfaces = [...new Set(tables.map(({ surface }) => surface))]
    .filter((surface) => surface.listener === listener)
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map((surface) => ({
      surface,
      pattern: new RegExp(`^${surface.base.replace(/:\w+/g, '[^/]+')}(?=[/?]|$)`),
      admit: admissionHook(gate, surface, { access: 'public' }),
    }));

  return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const found = surfaces.find(({ pattern }) => pattern.test(request.url));
    if (!found) return void reply.code(404).send({ message: 'Not Found' });
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

// As in the router, literals precede parameters and the end of the path. `~` sorts after all letters.
const rank = ({ base }: Surface) => `${base.replace(/:\w+/g, '~')}/~`;
