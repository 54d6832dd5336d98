import { createServer } from 'node:http';
import { log } from '../../platform/telemetry/index.ts';
import { type Checks, readinessOf } from '../../schema/readiness.ts';

interface Options {
  host: string;
  port: number;
  checks: Checks;
  /** Aborts when shutdown begins. */
  leaving: AbortSignal;
}

/** Serve `/healthz` and `/readyz` for a process without an HTTP server. */
export function serveHealth({ host, port, checks, leaving }: Options): Promise<{ close(): Promise<void> }> {
  const readiness = readinessOf(checks, { leaving, onMissing: (part, err) => log.warn({ part, err }, 'A readiness check failed') });
  const routes: Record<string, () => Promise<{ status: string }>> = {
    '/healthz': async () => ({ status: 'ok' }),
    '/readyz': readiness,
  };
  return serveStatus(host, port, (path) => routes[path]?.().then(answerOf));
}

const answerOf = (body: { status: string }) => ({
  status: body.status === 'ok' || body.status === 'ready' ? 200 : 503,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});

interface StatusAnswer {
  status: number;
  contentType: string;
  body: string;
}

/** Serve GET and HEAD requests of an operator on a separate port. `answer` gets the path; undefined is 404. */
export async function serveStatus(
  host: string,
  port: number,
  answer: (path: string) => Promise<StatusAnswer> | undefined,
): Promise<{ close(): Promise<void> }> {
  const server = createServer(async ({ url, method }, response) => {
    const found = method === 'GET' || method === 'HEAD' ? await answer(url!.split('?', 1)[0]!) : undefined;
    if (!found) return response.writeHead(404).end();
    response.writeHead(found.status, { 'content-type': found.contentType }).end(found.body);
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
