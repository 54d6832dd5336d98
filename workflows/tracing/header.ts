import { defaultPayloadConverter, type Headers } from '@temporalio/common';

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
