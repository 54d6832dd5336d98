/** Logs, metrics and traces. Secrets are redacted. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Attributes, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { pino } from 'pino';
import { Counter, Histogram, Registry } from 'prom-client';
import { enums } from '../../schema/enums.ts';
import { describeError } from '../../schema/errors.ts';

const subject = new AsyncLocalStorage<Record<string, string>>();

/** Run `work` with fields, such as the ids of the organization and the job, on every line that it logs. */
export const withLogFields = <T>(fields: Record<string, string>, work: () => T): T => subject.run(fields, work);

/** The log of this process. Its level is `info` until the configuration is read. It redacts credentials. */
export const log = pino({
  level: 'info',
  redact: { paths: ['*["x-api-key"]', '*.authorization', '*.apiKey', '*.secret', '*.password'], censor: '••••' },
  serializers: { err: (error: unknown) => describeError(error) },
  mixin: () => subject.getStore() ?? {},
});

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

/**
 * The metrics of this process. They count whether or not `METRICS_PORT` serves them. Labels are closed lists or settings of the
 * operator, never texts of callers.
 */
export const registry = new Registry();
const registers = [registry];

export const jobsEnded = new Counter({
  name: 'jobs_ended_total',
  help: 'Jobs that this process ended, by kind and final status.',
  labelNames: ['kind', 'status'],
  registers,
});

export const jobItems = new Counter({
  name: 'job_items_total',
  help: 'Items that ended, by kind and outcome: completed or failed. Items that a stop ends are not counted.',
  labelNames: ['kind', 'outcome'],
  registers,
});
// Alerts see no increase in the first value of a series, and nothing in a missing series.
for (const kind of enums.JobKind.values) for (const outcome of ['completed', 'failed']) jobItems.inc({ kind, outcome }, 0);

export const jobItemSeconds = new Histogram({
  name: 'job_item_seconds',
  help: 'Duration of attempts to process an item, by kind.',
  labelNames: ['kind'],
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  registers,
});

export const creditsSpent = new Counter({
  name: 'credits_spent_total',
  help: 'Credits of completed items by kind of job, of replies, summaries and voice tokens by the kind chat, and of the kinds indexing and retrieval-test.',
  labelNames: ['kind'],
  registers,
});

export const creditsRefunded = new Counter({
  name: 'credits_refunded_total',
  help: 'Credits of failed chat replies that were given back.',
  labelNames: ['kind'],
  registers,
});

export const webhookAttempts = new Counter({
  name: 'webhook_attempts_total',
  help: 'Attempts to send a webhook delivery, by API surface and outcome: delivered or failed.',
  labelNames: ['surface', 'outcome'],
  registers,
});

export const webhookAttemptSeconds = new Histogram({
  name: 'webhook_attempt_seconds',
  help: 'Duration of attempts to send a webhook delivery, by API surface.',
  labelNames: ['surface'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers,
});

export const modelCallSeconds = new Histogram({
  name: 'model_call_seconds',
  help: 'Duration of requests to the model provider by model, API and outcome: ok, refused (all requests), rejected (this request), fault (worth a retry) or canceled.',
  labelNames: ['model', 'api', 'outcome'],
  buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300],
  registers,
});

export const modelTokens = new Counter({
  name: 'model_tokens_total',
  help: 'Tokens that the model provider reported, by model and direction: input or output.',
  labelNames: ['model', 'direction'],
  registers,
});

export const chatReplies = new Counter({
  name: 'chat_replies_total',
  help: 'Chat replies that this process wrote, by final status.',
  labelNames: ['status'],
  registers,
});
