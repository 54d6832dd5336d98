import { createHmac, randomBytes } from 'node:crypto';
import { type Span, SpanStatusCode } from '@opentelemetry/api';
import type { Pool } from 'pg';
import { v7 as uuid } from 'uuid';
import { storable } from '../../schema/text.ts';
import { clock, inTransaction } from '../database/index.ts';
import { type Outbound, OutboundRefused, type OutboundRequest, retryAfterOf } from '../outbound/index.ts';
import { increment } from '../queues/index.ts';
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

const DISABLES = `($3 <> 'delivered' and coalesce(${increment('failure_count')} >= $10::int, false))`;

/**
 * Locks the subscription first, as its deletion does. This is a separate statement, so that the next one sees the current version. One
 * statement for both deadlocks: it updates the version of its snapshot, and waits for others that wait for its lock.
 */
const LOCK = 'select from webhooks.subscriptions where id = $1 for no key update';

/**
 * Record an attempt, its log entry, its number and the failure count. It has no effect when the lease expired and another process took over.
 * Notifies only watchers, because notifications serialize all commits of the database.
 */
const SETTLE = `
  with settled as (
    update webhooks.deliveries d
       set status = $3::text, attempts = ${increment('d.attempts')}, response_status = $4::int, last_error = $5::text, leased_by = null,
           losses = case when $4::int is null then d.losses else 0 end,
           leased_until = null, next_attempt_at = now() + make_interval(secs => $6::float)
     where d.id = $1 and d.leased_by = $2
    returning d.id, d.organization_id, d.subscription_id, d.attempts),
  counted as (
    update webhooks.subscriptions s
       set sequence = ${increment('s.sequence')}, failure_count = case when $3 = 'delivered' then 0 else ${increment('failure_count')} end,
           enabled = enabled and not ${DISABLES}, disabled_at = case when enabled and ${DISABLES} then now() else disabled_at end
      from settled where s.id = settled.subscription_id returning s.id, s.sequence, s.watched_until > now() as watched),
  logged as (
    insert into webhooks.attempts (id, organization_id, delivery_id, subscription_id, sequence, number, response_status, response_snippet, error, duration_ms)
    select $7::uuid, s.organization_id, s.id, c.id, c.sequence, s.attempts, $4::int, $8::text, $5::text, $9::int
      from settled s join counted c on c.id = s.subscription_id)
  select pg_notify('webhook_attempts', id::text) from counted where watched`;

/** A late answer must delete neither a subscription with a new URL, nor one whose delivery another process has taken over. */
const GONE = `
  delete from webhooks.subscriptions s where s.id = $1 and s.url = $2
     and exists (select 1 from webhooks.deliveries d where d.id = $3 and d.leased_by = $4)`;

/** Record the result of an attempt and apply the policy of its surface. */
export async function completeDelivery(pool: Pool, delivery: ClaimedDelivery, result: AttemptResult): Promise<void> {
  const { delays, deleteOnGone, disableAfter } = policyOf(delivery.surface);
  if (deleteOnGone && result.status === 410) {
    const { rowCount } = await pool.query(GONE, [delivery.subscriptionId, delivery.url, delivery.id, delivery.lease]);
    if (rowCount === 1) return;
  }
  const { delivered, status, snippet, error, durationMs, retryAfter } = result;
  const scheduled = delays[delivery.attempts];
  // The receiver may lengthen a wait, but not shorten it.
  const delay = delivered || scheduled === undefined ? null : Math.max(scheduled, retryAfter ?? 0);
  const state = delivered ? 'delivered' : delay === null ? 'failed' : 'pending';
  const values = [delivery.id, delivery.lease, state, status, error, delay, uuid(), snippet, durationMs, disableAfter ?? null];
  await inTransaction(pool, async (connection) => {
    await connection.query({ name: 'lock subscription', text: LOCK, values: [delivery.subscriptionId] });
    await connection.query({ name: 'settle delivery', text: SETTLE, values });
  });
}
