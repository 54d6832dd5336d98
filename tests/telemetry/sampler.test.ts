import { ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace-node';
import { samplerOf } from '../../start/telemetry/trace-export.ts';

const TRIES = 2_000;
/** A sampler by id records the smallest trace ids at any ratio. */
const CHOSEN = '00000000000000000000000000000001';

/** How many of the spans are recorded that continue a trace of another process. */
function recorded(percent: number, kind: SpanKind, traceFlags: TraceFlags): number {
  const sampler = samplerOf(percent);
  const parent = trace.setSpanContext(ROOT_CONTEXT, { traceId: CHOSEN, spanId: '00f067aa0ba902b7', traceFlags, isRemote: true });
  let count = 0;
  for (let at = 0; at < TRIES; at++)
    count += Number(sampler.shouldSample(parent, CHOSEN, 'span', kind, {}, []).decision === SamplingDecision.RECORD_AND_SAMPLED);
  return count;
}

test('a caller can exclude its traces, but cannot have all of them recorded by the choice of their ids', () => {
  expect(recorded(10, SpanKind.SERVER, TraceFlags.SAMPLED)).toBeLessThan(TRIES / 5);
  expect(recorded(10, SpanKind.SERVER, TraceFlags.SAMPLED)).toBeGreaterThan(TRIES / 20);
  expect(recorded(100, SpanKind.SERVER, TraceFlags.SAMPLED)).toBe(TRIES);
  expect(recorded(0, SpanKind.SERVER, TraceFlags.SAMPLED)).toBe(0);
  expect(recorded(100, SpanKind.SERVER, TraceFlags.NONE)).toBe(0);
});

test('a trace that the gateway records is whole in the other processes', () => {
  for (const kind of [SpanKind.CLIENT, SpanKind.CONSUMER, SpanKind.INTERNAL]) {
    expect(recorded(1, kind, TraceFlags.SAMPLED)).toBe(TRIES);
    expect(recorded(100, kind, TraceFlags.NONE)).toBe(0);
  }
});
