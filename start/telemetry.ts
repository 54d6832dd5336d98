import { combineObservers, type Observer } from 'compiled-gateway';
import { metrics } from 'compiled-gateway/metrics';
import { traceHeaders, tracing } from 'compiled-gateway/tracing';
import type { Pool } from 'pg';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { log } from '../subgraphs/common/log.ts';
import { queueAge, readQueueAges } from '../subgraphs/common/queue-age.ts';
import { serveStatus } from './status-server.ts';
import type { readTelemetryConfig } from './telemetry-config.ts';
import { startTraces } from './traces.ts';

type Config = ReturnType<typeof readTelemetryConfig>;

export interface Telemetry {
  /** Undefined when telemetry is off. */
  observer?: Observer;
  /** Headers that propagate the trace to another process; undefined without traces. */
  headers?: () => Record<string, string>;
  /** Add the queue ages of this database to the metrics. */
  watchQueues(pool: Pool): void;
  close(): Promise<void>;
}

/** Start the configured traces and metrics. Call it before the first connection is opened. */
export async function startTelemetry(process: string, config: Config): Promise<Telemetry> {
  const { METRICS_PORT, HOST } = config;
  const traces = startTraces(process, config);
  const page = METRICS_PORT ? await serveMetrics(HOST, METRICS_PORT) : undefined;
  const observers = [...(traces ? [tracing()] : []), ...(page ? [metrics(page.registry)] : [])];
  return {
    observer: combineObservers(observers),
    headers: traces && traceHeaders,
    watchQueues: (pool) => void (page && watchQueues(page.registry, pool)),
    async close() {
      await Promise.all([traces?.shutdown(), page?.close()]);
    },
  };
}

function watchQueues(registry: Registry, pool: Pool): void {
  new Gauge({
    ...queueAge,
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      // Without the database only the queue ages are missing from the metrics.
      this.reset();
      try {
        for (const { queue, seconds } of await readQueueAges(pool)) this.set({ queue }, seconds);
      } catch (error) {
        log.warn({ err: error }, 'Failed to read the queue ages');
      }
    },
  });
}

/** Serve `/metrics` on a separate port, because it is not for API callers. */
async function serveMetrics(host: string, port: number) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const answer = async () => ({ status: 200, contentType: registry.contentType, body: await registry.metrics() });
  const { close } = await serveStatus(host, port, (path) => (path === '/metrics' ? answer() : undefined));
  return { registry, close };
}
