import { type Attributes, context, propagation, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import pg from 'pg';
import { truncate } from '../../schema/text.ts';

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

type Callback = (error: Error | null, ...rest: unknown[]) => void;
type Statement = string | { text?: string };

/**
 * Create a span for each statement of this process, with its text but without its values. Patches the driver, so call it once, before the
 * first connection, and only when tracing is enabled.
 */
export function tracePostgres(): void {
  const tracer = trace.getTracer('postgresql');
  const { query } = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
  const { connect } = pg.Pool.prototype as { connect: (...args: unknown[]) => unknown };

  // The pool calls back in the context of the caller that released the connection, so bind the callback.
  Object.assign(pg.Pool.prototype, {
    connect(this: pg.Pool, ...args: unknown[]) {
      return connect.apply(this, args.map(bindContext));
    },
  });

  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]) {
      // Background statements, such as polling, start no trace. The active span may be that of a caller in another process.
      const { traceFlags = TraceFlags.NONE } = trace.getActiveSpan()?.spanContext() ?? {};
      if ((traceFlags & TraceFlags.SAMPLED) === 0) return query.apply(this, args);
      const text = textOf(args[0] as Statement);
      const attributes = { 'db.system': 'postgresql', 'db.statement': text };
      const span = tracer.startSpan(text.split(' ', 1)[0] || 'SQL', { kind: SpanKind.CLIENT, attributes });
      const end = (error?: unknown) => {
        if (error) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      };
      const last = args.length - 1;
      const callback = args[last];
      if (typeof callback === 'function') {
        args[last] = bindContext((error: Error | null, ...rest: unknown[]) => {
          end(error);
          (callback as Callback)(error, ...rest);
        });
        return query.apply(this, args);
      }
      const result = query.apply(this, args);
      if (result instanceof Promise) result.then(() => end(), end);
      else end();
      return result;
    },
  });
}

const bindContext = <T>(value: T): T => (typeof value === 'function' ? context.bind(context.active(), value) : value);

const textOf = (statement: Statement): string =>
  truncate(withoutValues(typeof statement === 'string' ? statement : (statement?.text ?? '')).trim(), 2_000);

const LITERALS = /\bE'(?:[^'\\]|''|\\[\s\S])*'?|'(?:[^']|'')*'?|(?<![\w$."])\d+(?:\.\d+)?\b/gi;

/** Replaces literals, because the mapper writes values of callers into its statements. */
const withoutValues = (text: string): string => text.replace(LITERALS, '?').replace(/\?(?:, \?)+/g, '?, …');
