import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { ContinueAsNew, proxySinks, type Sinks, uuid4, type WorkflowInterceptorsFactory } from '@temporalio/workflow';

const NAME = 'traceparent';

/** The trace in the headers of a workflow or an activity. */
export function traceOf(headers: Headers): string | undefined {
  const payload = headers[NAME];
  return payload && defaultPayloadConverter.fromPayload<string>(payload);
}

export const withTrace = (headers: Headers, trace: string): Headers => ({
  ...headers,
  [NAME]: defaultPayloadConverter.toPayload(trace),
});

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
 * The headers are the only effect on the history, so the same code replays with and without traces.
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
