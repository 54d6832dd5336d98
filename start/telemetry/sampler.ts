import { SpanKind } from '@opentelemetry/api';
import { ParentBasedSampler, type Sampler, SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-node';

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
