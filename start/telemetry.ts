import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Resource } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { combineObservers, type Observer } from 'compiled-gateway';
import { metrics } from 'compiled-gateway/metrics';
import { traceHeaders, tracing } from 'compiled-gateway/tracing';
import type { Pool } from 'pg';
import { registry } from '../subgraphs/common/metrics.ts';
import { tracePostgres } from '../subgraphs/common/tracing.ts';
import { serveMetrics, watchDatabase } from './metrics.ts';
import type { readTelemetryConfig } from './telemetry-config.ts';

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

/** Start the configured traces and metrics. Call it before the first connection is opened. */
export async function startTelemetry(
  process: string,
  { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLE, METRICS_PORT, HOST }: Config,
): Promise<Telemetry> {
  const traces = OTEL_EXPORTER_OTLP_ENDPOINT
    ? startTraces(process, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLE / 100)
    : undefined;
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

function startTraces(process: string, endpoint: string, ratio: number): NodeTracerProvider {
  const provider = new NodeTracerProvider({
    resource: new Resource({ 'service.name': `catalog-graph ${process}` }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
  });
  provider.register();
  tracePostgres();
  return provider;
}
