import { SpanKind } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Resource } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { chosenSpanId } from '../../platform/telemetry/index.ts';

/**
 * Send the spans of this process to the configured endpoint. Call it before the first connection is opened. The returned `shutdown`
 * sends the spans that are left.
 */
export function startTraces(process: string, endpoint: string, samplePercent: number): { shutdown(): Promise<void> } {
  const ids = new RandomIdGenerator();
  const provider = new NodeTracerProvider({
    resource: new Resource({ 'service.name': `catalog-graph ${process}` }),
    sampler: samplerOf(samplePercent),
    idGenerator: { generateTraceId: ids.generateTraceId, generateSpanId: () => chosenSpanId() ?? ids.generateSpanId() },
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
  });
  provider.register();
  return provider;
}

/** Records this percentage of the traces that begin here, and of the operations in traces that callers begin. */
export const samplerOf = (percent: number): Sampler =>
  new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(percent / 100), remoteParentSampled: continuing(percent) });

/**
 * Only operations continue traces of callers, who could choose ids that a ratio of ids always records. All other spans continue a trace of
 * the product, which stays whole.
 */
const continuing = (percent: number): Sampler => ({
  shouldSample(_context, _traceId, _name, kind) {
    const isRecorded = kind !== SpanKind.SERVER || Math.random() * 100 < percent;
    return { decision: isRecorded ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  },
  toString: () => `Continuing{${percent}}`,
});
