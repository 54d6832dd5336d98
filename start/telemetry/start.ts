import { combineObservers, type Observer } from 'compiled-gateway';
import { metrics } from 'compiled-gateway/metrics';
import { traceHeaders, tracing } from 'compiled-gateway/tracing';
import type { Pool } from 'pg';
import { registry } from '../../platform/telemetry/index.ts';
import { readEnvironment } from '../../schema/environment.ts';
import { serveMetrics, watchDatabase } from './metrics-server.ts';

type Config = ReturnType<typeof readTelemetryConfig>;

export interface Telemetry {
  /** Undefined when telemetry is off. */
  observer?: Observer;
  /** Headers that propagate the trace to another process; undefined without traces. */
  headers?: () => Record<string, string>;
  /** Add the queues and open jobs of this database to the metrics. */
  watchDatabase(pool: Pool): void;
  close(): Promise<void>;
}

/** Start the configured traces. Loads their SDK only when it is needed, because it has 250 modules. */
export async function openTraces(process: string, config: Config) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (!endpoint) return undefined;
  const { startTraces } = await import('./trace-export.ts');
  return startTraces(process, endpoint, config.OTEL_TRACES_SAMPLE);
}

/** Start the configured traces and metrics. Call it before the first connection is opened. */
export async function startTelemetry(process: string, config: Config): Promise<Telemetry> {
  const { METRICS_PORT, HOST } = config;
  const traces = await openTraces(process, config);
  const page = METRICS_PORT ? await serveMetrics({ host: HOST, port: METRICS_PORT }) : undefined;
  const observers = [...(traces ? [tracing()] : []), ...(page ? [metrics(registry)] : [])];
  return {
    observer: combineObservers(observers),
    headers: traces && traceHeaders,
    watchDatabase: (pool) => void (page && watchDatabase(pool)),
    async close() {
      await Promise.all([traces?.shutdown(), page?.close()]);
    },
  };
}

export const readTelemetryConfig = () =>
  readEnvironment(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_SAMPLE', 'METRICS_PORT', 'HOST']);
