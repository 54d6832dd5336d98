import { createServer } from 'node:http';
import { type Checks, readinessOf } from '../schema/readiness.ts';
import { log } from '../subgraphs/common/log.ts';

interface Options {
  host: string;
  port: number;
  checks: Checks;
  /** Aborts when shutdown begins. */
  leaving: AbortSignal;
}

/** Serve `/healthz` and `/readyz` for a process without an HTTP server. */
export async function serveHealth({ host, port, checks, leaving }: Options): Promise<{ close(): Promise<void> }> {
  const readiness = readinessOf(checks, { leaving, onMissing: (part, err) => log.warn({ part, err }, 'A readiness check failed') });
  const routes: Record<string, () => Promise<{ status: string }>> = {
    '/healthz': async () => ({ status: 'ok' }),
    '/readyz': readiness,
  };
  const server = createServer(async ({ url, method }, response) => {
    const route = method === 'GET' || method === 'HEAD' ? routes[url!] : undefined;
    if (!route) return response.writeHead(404).end();
    const answer = await route();
    const status = answer.status === 'ok' || answer.status === 'ready' ? 200 : 503;
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
