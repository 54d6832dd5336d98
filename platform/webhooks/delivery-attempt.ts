import { createHmac, randomBytes } from 'node:crypto';
import { type Span, SpanStatusCode } from '@opentelemetry/api';
import { storable } from '../../schema/text.ts';
import { clock } from '../database/index.ts';
import { type Outbound, OutboundRefused, type OutboundRequest, retryAfterOf } from '../outbound/index.ts';
import type { Secrets } from '../secrets/index.ts';
import { continueTrace, inSpan, log } from '../telemetry/index.ts';
import { type ClaimedDelivery, MAX_LOSSES } from './claim.ts';
import { policyOf } from './policies.ts';

/** The result of one attempt to send a delivery. */
export interface AttemptResult {
  delivered: boolean;
  status: number | null;
  /** The first characters of the response. */
  snippet: string | null;
  /** Error message for the delivery log; null on success. */
  error: string | null;
  durationMs: number;
  /** Seconds that the receiver asks to wait before the next attempt; null if it does not. */
  retryAfter: number | null;
}

const SNIPPET = 500;
const INTERRUPTED = `The attempt was interrupted ${MAX_LOSSES} times before its result was recorded.`;

/** The name under which the signing secret of a subscription is sealed. */
export const secretName = ({ organizationId, id }: { organizationId: string; id: string }) => ({
  organizationId,
  name: `webhook/${id}`,
});

/** Send a delivery once, with a current signature, in the trace of its event. Never throws; the result contains the error. */
export function attempt(delivery: ClaimedDelivery, outbound: Outbound, secrets: Secrets): Promise<AttemptResult> {
  const { trace, event, id, attempts } = delivery;
  const attributes = { 'webhook.event': event, 'webhook.delivery': id, 'webhook.attempt': attempts + 1 };
  const traced = async (span: Span) => {
    const result = await send(delivery, outbound, secrets);
    if (result.status !== null) span.setAttribute('http.response.status_code', result.status);
    if (!result.delivered) span.setStatus({ code: SpanStatusCode.ERROR });
    return result;
  };
  const run = () => inSpan(`deliver ${event}`, attributes, traced);
  return trace === null ? send(delivery, outbound, secrets) : continueTrace({ traceparent: trace }, run);
}

async function send(delivery: ClaimedDelivery, outbound: Outbound, secrets: Secrets): Promise<AttemptResult> {
  const started = performance.now();
  const resultOf = (result: Pick<AttemptResult, 'status' | 'snippet' | 'error'> & Partial<AttemptResult>): AttemptResult => ({
    retryAfter: null,
    ...result,
    delivered: result.error === null,
    durationMs: Math.round(performance.now() - started),
  });
  if (delivery.isExhausted) return resultOf({ status: null, snippet: null, error: INTERRUPTED });
  try {
    const { status, headers, body } = await outbound.request(delivery.url, {
      method: delivery.method.toUpperCase() as OutboundRequest['method'],
      headers: headersOf(delivery, secrets),
      body: delivery.body,
      timeoutMs: policyOf(delivery.surface).timeoutMs,
      prefixBytes: SNIPPET,
    });
    const succeeded = status >= 200 && status < 300;
    const error = succeeded ? null : `The receiver answered with status ${status}.`;
    return resultOf({ status, snippet: readable(body), error, retryAfter: waitOf(headers['retry-after']) });
  } catch (error) {
    if (error instanceof OutboundRefused) return resultOf({ status: error.status ?? null, snippet: null, error: error.message });
    log.error({ err: error, delivery: delivery.id }, 'Failed to prepare a delivery');
    return resultOf({ status: null, snippet: null, error: 'The delivery could not be prepared.' });
  }
}

function headersOf(
  { id, event, body, secret, previousSecret, organizationId, subscriptionId }: ClaimedDelivery,
  secrets: Secrets,
): Record<string, string> {
  const name = secretName({ organizationId, id: subscriptionId });
  const signing = [secret, previousSecret].flatMap((sealed) => (sealed ? [secrets.open(sealed, name)] : []));
  return {
    'content-type': 'application/json',
    'user-agent': 'Svc-Webhooks/1',
    'x-svc-event': event,
    'x-svc-delivery': id,
    ...(signing.length > 0 && signatureHeaders(id, body, signing)),
  };
}

const readable = (body: Buffer): string | null => storable(body.toString('utf8')) || null;

/** Limits the wait that a receiver can ask for. */
const MAX_RETRY_AFTER = 24 * 60 * 60;

function waitOf(header: string | undefined): number | null {
  const seconds = retryAfterOf(header);
  return seconds === null ? null : Math.min(seconds, MAX_RETRY_AFTER);
}

const PREFIX = 'whsec_';

/** Create a signing secret for a subscription. */
export const newSigningSecret = () => PREFIX + randomBytes(32).toString('base64');

/**
 * Signature headers of one attempt, with one signature for each secret. `x-svc-signature` uses the full text of the secret as key, and the
 * headers of Standard Webhooks use its decoded bytes.
 */
export function signatureHeaders(id: string, body: string, secrets: readonly string[], at = clock.now()): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const own = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`);
  const standard = secrets.map((secret) => {
    const bytes = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'x-svc-signature': [`t=${timestamp}`, ...own].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  };
}
