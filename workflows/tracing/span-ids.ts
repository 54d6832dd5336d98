import type { Span } from '@opentelemetry/api';

let next: string | undefined;

/** Start a span whose id was chosen before, by a workflow that has already sent it to its activities. */
export function startSpanWithId(id: string, start: () => Span): Span {
  next = id;
  try {
    return start();
  } finally {
    next = undefined;
  }
}

/** The chosen id of the span that is being started; undefined lets the SDK generate one. */
export const chosenSpanId = (): string | undefined => next;
