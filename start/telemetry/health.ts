import { log } from '../../platform/telemetry/log.ts';
import { type Checks, readinessOf } from '../../schema/readiness.ts';
import { serveStatus } from './status-server.ts';

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
