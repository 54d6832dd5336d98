import type { FastifyInstance } from 'fastify';

const wait = 5_000;

/** `/healthz`: the process answers. `/readyz`: what it needs can be reached, so it may be given traffic. */
export function healthRoutes(app: FastifyInstance, ready: () => Promise<unknown>): void {
  const quiet = { config: { plainHttp: true }, logLevel: 'warn' } as const;

  app.get('/healthz', quiet, async () => ({ status: 'ok' }));

  app.get('/readyz', quiet, async (request, reply) => {
    try {
      await within(wait, ready());
      return { status: 'ready' };
    } catch (error) {
      request.log.warn({ err: error }, 'not ready');
      return reply.code(503).send({ status: 'unavailable' });
    }
  });
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${milliseconds} ms`)), milliseconds);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
