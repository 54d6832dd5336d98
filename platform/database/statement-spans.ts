import { context, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import type { Pool } from 'pg';
import { truncate } from '../../schema/text.ts';
import { type Query, wrapConnect, wrapQuery } from './patches/pg.ts';

type Callback = (error: Error | null, ...rest: unknown[]) => void;
type Statement = Parameters<Query>[0];

/**
 * Create a span for each statement of the pool, with its text but without its values, if the caller has a sampled trace. Call it before the
 * first connection.
 */
export function tracePool(pool: Pool): void {
  // The pool calls back in the context of the caller that released the connection, so bind the callback.
  wrapConnect(pool, (connect) => (callback) => connect(context.bind(context.active(), callback)));
  wrapQuery(pool, (query) => (statement, ...rest) => {
    // Background statements, such as polling, start no trace. The active span may be that of a caller in another process.
    const { traceFlags = TraceFlags.NONE } = trace.getActiveSpan()?.spanContext() ?? {};
    if ((traceFlags & TraceFlags.SAMPLED) === 0) return query(statement, ...rest);
    const text = textOf(statement);
    const attributes = { 'db.system': 'postgresql', 'db.statement': text };
    const span = trace.getTracer('postgresql').startSpan(text.split(' ', 1)[0] || 'SQL', { kind: SpanKind.CLIENT, attributes });
    const end = (error?: unknown) => {
      if (error) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
    const callback = rest.at(-1);
    if (typeof callback === 'function') {
      const traced: Callback = (error, ...results) => {
        end(error);
        (callback as Callback)(error, ...results);
      };
      return query(statement, ...rest.slice(0, -1), context.bind(context.active(), traced));
    }
    const result = query(statement, ...rest);
    if (result instanceof Promise) result.then(() => end(), end);
    else end();
    return result;
  });
}

const textOf = (statement: Statement): string =>
  truncate(withoutValues(typeof statement === 'string' ? statement : (statement?.text ?? '')).trim(), 2_000);

const LITERALS = /\bE'(?:[^'\\]|''|\\[\s\S])*'?|'(?:[^']|'')*'?|(?<![\w$."])\d+(?:\.\d+)?\b/gi;

/** Replaces literals, because the mapper writes values of callers into its statements. */
const withoutValues = (text: string): string => text.replace(LITERALS, '?').replace(/\?(?:, \?)+/g, '?, …');
