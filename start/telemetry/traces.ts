import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, RandomIdGenerator } from '@opentelemetry/sdk-trace-node';
import { tracePostgres } from '../../platform/telemetry/tracing.ts';
import { chosenSpanId } from '../../workflows/tracing/span-ids.ts';
import type { readTelemetryConfig } from './config.ts';
import { samplerOf } from './sampler.ts';

/**
 * Send the spans of this process to the configured endpoint. Call it before the first connection is opened. The returned `shutdown`
 * sends the spans that are left.
 */
export function startTraces(
  process: string,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLE }: ReturnType<typeof readTelemetryConfig>,
): { shutdown(): Promise<void> } {
  const ids = new RandomIdGenerator();
  const provider = new NodeTracerProvider({
    resource: new Resource({ 'service.name': `catalog-graph ${process}` }),
    sampler: samplerOf(OTEL_TRACES_SAMPLE),
    idGenerator: { generateTraceId: ids.generateTraceId, generateSpanId: () => chosenSpanId() ?? ids.generateSpanId() },
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
  });
  provider.register();
  tracePostgres();
  return provider;
}
