import type { Span } from '@opentelemetry/api';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Observer } from './observer.ts';
import { codeIn, type ObservedResult } from './observer.ts';

const maxNameLength = 100;

/** Create an observer with a span per operation, in the trace of its caller, and a span per subgraph request. */
export function tracing(): Observer {
  const tracer = trace.getTracer('gateway');
  const within = async <T extends ObservedResult>(span: Span, run: () => Promise<T>): Promise<T> => {
    try {
      const result = await run();
      // Record only the code, because messages may repeat the caller's input.
      const code = codeIn(result);
      if (code) span.setStatus({ code: SpanStatusCode.ERROR, message: code });
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
      const spanName = (label ?? `${kind} ${name ?? ''}`.trim()).slice(0, maxNameLength);
      const attributes = {
        'graphql.operation.type': kind,
        ...(name && { 'graphql.operation.name': name.slice(0, maxNameLength) }),
      };
      return tracer.startActiveSpan(spanName, { kind: SpanKind.SERVER, attributes }, parent, (span) => within(span, run));
    },
    request: (subgraph, run) =>
      tracer.startActiveSpan(`fetch ${subgraph}`, { kind: SpanKind.CLIENT, attributes: { subgraph } }, (span) => within(span, run)),
    stream({ kind, label, name }) {
      const span = tracer.startSpan(label ?? `${kind} ${name ?? ''}`.trim().slice(0, maxNameLength), { kind: SpanKind.SERVER });
      return () => span.end();
    },
  };
}

/** The trace headers for a request to a subgraph in another process. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}
