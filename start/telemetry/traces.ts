import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Resource } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { tracePostgres } from '../../subgraphs/common/telemetry/tracing.ts';
import { chosenSpanId } from '../../workflows/tracing/span-ids.ts';
import type { readTelemetryConfig } from './config.ts';

/**
 * Send the spans of this process to the configured endpoint. Call it before the first connection is opened. The returned `shutdown`
 * sends the spans that are left.
 */
export function startTraces(
  process: string,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLE }: ReturnType<typeof readTelemetryConfig>,
): { shutdown(): Promise<void> } {
  const sampler = new TraceIdRatioBasedSampler(OTEL_TRACES_SAMPLE / 100);
  const ids = new RandomIdGenerator();
  const provider = new NodeTracerProvider({
    resource: new Resource({ 'service.name': `catalog-graph ${process}` }),
    // The ratio decides by trace id, so all processes agree, and a caller cannot have every request recorded.
    sampler: new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler }),
    idGenerator: { generateTraceId: ids.generateTraceId, generateSpanId: () => chosenSpanId() ?? ids.generateSpanId() },
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
  });
  provider.register();
  tracePostgres();
  return provider;
}
