import { ContinueAsNew, proxySinks, type Sinks, uuid4, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { traceOf, withTrace } from './header.ts';

/** Receives the spans of workflow runs outside the sandbox. */
export interface TraceSinks extends Sinks {
  traces: {
    /** `parent` is a `traceparent`. */
    end(parent: string, spanId: string, failed: boolean): void;
  };
}

const { traces } = proxySinks<TraceSinks>();

/**
 * Runs in the sandbox. A run with a trace gets a span, whose children are its activities; the span's random id is the same in a replay.
 * The headers are the only effect on the history, so histories without traces replay.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let parent: string | undefined;
  let own: string | undefined;
  return {
    inbound: [
      {
        execute({ headers, ...input }, next) {
          parent = traceOf(headers);
          const run = () => next({ headers, ...input });
          if (parent === undefined) return run();
          const spanId = uuid4().replaceAll('-', '').slice(16);
          const [version, traceId, , flags] = parent.split('-');
          own = [version, traceId, spanId, flags].join('-');
          return endSpan(parent, spanId, run());
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(own ? { ...input, headers: withTrace(input.headers, own) } : input),
        continueAsNew: (input, next) => next(parent ? { ...input, headers: withTrace(input.headers, parent) } : input),
      },
    ],
  };
};

async function endSpan<T>(parent: string, spanId: string, run: Promise<T>): Promise<T> {
  let failed = false;
  try {
    return await run;
  } catch (error) {
    failed = !(error instanceof ContinueAsNew);
    throw error;
  } finally {
    traces.end(parent, spanId, failed);
  }
}
