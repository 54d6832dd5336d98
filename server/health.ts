import type { FastifyInstance } from 'fastify';
import { type Checks, readinessOf } from '../schema/readiness.ts';

/**
 * Add `/healthz`, which always succeeds, and `/readyz`, which fails during shutdown or while a dependency is unreachable. The
 * response names the missing dependency; only the log has its error.
 */
export function healthRoutes(app: FastifyInstance, checks: Checks, leaving?: AbortSignal): void {
  const quiet = { config: { plainHttp: true }, logLevel: 'warn' } as const;
  const readiness = readinessOf(checks, {
    leaving,
    onMissing: (part, err) => app.log.warn({ part, err }, 'Dependency is not ready'),
  });

  app.get('/healthz', quiet, async () => ({ status: 'ok' }));

  app.get('/readyz', quiet, async (_request, reply) => {
    const answer = await readiness();
    return reply.code(answer.status === 'ready' ? 200 : 503).send(answer);
  });
}
