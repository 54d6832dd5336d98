import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import pg from 'pg';

/** Run within the trace that the headers of a request name. */
export const continueTrace = <T>(headers: object, run: () => T): T =>
  context.with(propagation.extract(context.active(), headers), run);

type Callback = (error: Error | null, ...rest: unknown[]) => void;
type Asked = string | { text?: string };

/**
 * A span for each statement of this process, with its text but never its values. Changes the driver, so it is called once, before the
 * first connection, and only when somebody looks.
 */
export function tracePostgres(): void {
  const tracer = trace.getTracer('postgresql');
  const { query } = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
  const { connect } = pg.Pool.prototype as { connect: (...args: unknown[]) => unknown };

  // Who waits for a connection is called back from whoever gave it up.
  Object.assign(pg.Pool.prototype, {
    connect(this: pg.Pool, ...args: unknown[]) {
      return connect.apply(this, args.map(bound));
    },
  });

  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]) {
      // What nobody asked for, as the polling of a process, begins no trace.
      if (!trace.getActiveSpan()) return query.apply(this, args);
      const text = textOf(args[0] as Asked);
      const attributes = { 'db.system': 'postgresql', 'db.statement': text };
      const span = tracer.startSpan(text.split(' ', 1)[0] || 'SQL', { kind: SpanKind.CLIENT, attributes });
      const end = (error?: unknown) => {
        if (error) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      };
      const last = args.length - 1;
      const callback = args[last];
      if (typeof callback === 'function') {
        args[last] = bound((error: Error | null, ...rest: unknown[]) => {
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

const bound = <T>(value: T): T => (typeof value === 'function' ? context.bind(context.active(), value) : value);

const textOf = (asked: Asked): string => (typeof asked === 'string' ? asked : (asked?.text ?? '')).trim().slice(0, 2_000);
