import { type Attributes, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** Run within the trace of the request headers. */
export const continueTrace = <T>(headers: object, run: () => T): T =>
  context.with(propagation.extract(context.active(), headers), run);

/** The active trace as a `traceparent`, with which a row carries it to another process; null outside a trace. */
export function currentTrace(): string | null {
  const headers: { traceparent?: string } = {};
  propagation.inject(context.active(), headers);
  return headers.traceparent ?? null;
}

/** Run in a client span of the active trace, which ends when `run` settles. A rejection fails the span, without its message. */
export function inSpan<T>(name: string, attributes: Attributes, run: (span: Span) => Promise<T>): Promise<T> {
  const span = trace.getTracer('product').startSpan(name, { kind: SpanKind.CLIENT, attributes });
  return context.with(trace.setSpan(context.active(), span), () => endWith(span, run));
}

/** End the span when `run` settles. Error messages may contain input of callers, so they are not recorded. */
export async function endWith<T>(span: Span, run: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await run(span);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** Start a client span of the active trace. The returned function ends it. */
export function startSpan(name: string, attributes: Attributes): (failed: boolean) => void {
  const span = trace.getTracer('product').startSpan(name, { kind: SpanKind.CLIENT, attributes });
  return (failed) => {
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };
}

let chosenId: string | undefined;

/** Start a span whose id was chosen before, by a workflow that has already sent it to its activities. */
export function startSpanWithId(id: string, start: () => Span): Span {
  chosenId = id;
  try {
    return start();
  } finally {
    chosenId = undefined;
  }
}

/** The chosen id of the span that is being started; undefined lets the SDK generate one. */
export const chosenSpanId = (): string | undefined => chosenId;
