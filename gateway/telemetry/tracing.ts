import type { Span } from '@opentelemetry/api';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Observer } from './observer.ts';

const longestName = 100;

/** A span for each operation, within the trace its caller says, and one for each request to a subgraph. */
export function tracing(): Observer {
  const tracer = trace.getTracer('gateway');
  const within = async <T extends { errors?: readonly { message: string }[] }>(span: Span, run: () => Promise<T>): Promise<T> => {
    try {
      const result = await run();
      // The message alone: an error may carry what its caller sent.
      const [error] = result.errors ?? [];
      if (error) span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
      return result;
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  };

  return {
    operation({ kind, label, name }, { traceparent }, run) {
      const parent = traceparent ? propagation.extract(context.active(), { traceparent }) : context.active();
      const called = (label ?? `${kind} ${name ?? ''}`.trim()).slice(0, longestName);
      const attributes = { 'graphql.operation.type': kind, ...(name && { 'graphql.operation.name': name.slice(0, longestName) }) };
      return tracer.startActiveSpan(called, { kind: SpanKind.SERVER, attributes }, parent, (span) => within(span, run));
    },
    request: (subgraph, run) =>
      tracer.startActiveSpan(`fetch ${subgraph}`, { kind: SpanKind.CLIENT, attributes: { subgraph } }, (span) => within(span, run)),
    stream({ kind, label, name }) {
      const span = tracer.startSpan(label ?? `${kind} ${name ?? ''}`.trim().slice(0, longestName), { kind: SpanKind.SERVER });
      return () => span.end();
    },
  };
}

/** The header by which a subgraph in another process goes on with the trace. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}
