import type { FastifyInstance } from 'fastify';
import { type Checks, readinessOf } from '../schema/readiness.ts';

/**
 * `/healthz`: the process answers. `/readyz`: everything it needs can be reached, and it is not shutting down. A missing part is named,
 * its error only logged.
 */
export function healthRoutes(app: FastifyInstance, checks: Checks, leaving?: AbortSignal): void {
  const quiet = { config: { plainHttp: true }, logLevel: 'warn' } as const;
  const readiness = readinessOf(checks, {
    leaving,
    onMissing: (part, err) => app.log.warn({ part, err }, 'not ready'),
  });

  app.get('/healthz', quiet, async () => ({ status: 'ok' }));

  app.get('/readyz', quiet, async (_request, reply) => {
    const answer = await readiness();
    return reply.code(answer.status === 'ready' ? 200 : 503).send(answer);
  });
}
