import type { Pool } from 'pg';
import { v7 as uuid } from 'uuid';
import { increment } from '../retry.ts';
import type { AttemptResult } from './attempt.ts';
import type { ClaimedDelivery } from './claim.ts';
import { policyOf } from './policies.ts';

/**
 * Record an attempt, its log entry and the failure count in one statement. It has no effect when the lease expired and another process
 * took over.
 */
const SETTLE = `
  with settled as (
    update webhooks.deliveries set status = $3::text, attempts = ${increment('attempts')}, response_status = $4::int, last_error = $5::text, leased_by = null,
           leased_until = null, next_attempt_at = now() + make_interval(secs => $6::float)
     where id = $1 and leased_by = $2 returning id, organization_id, subscription_id, attempts),
  logged as (
    insert into webhooks.attempts (id, organization_id, delivery_id, number, response_status, response_snippet, error, duration_ms)
    select $7::uuid, organization_id, id, attempts, $4::int, $8::text, $5::text, $9::int from settled)
  update webhooks.subscriptions s
     set failure_count = case when $3 = 'delivered' then 0 else ${increment('failure_count')} end,
         enabled = enabled and ($3 = 'delivered' or ($10::int is null or ${increment('failure_count')} < $10::int))
    from settled where s.id = settled.subscription_id and ($3 <> 'delivered' or s.failure_count > 0)`;

/** Record the result of an attempt and apply the policy of its surface. */
export async function settle(pool: Pool, delivery: ClaimedDelivery, result: AttemptResult): Promise<void> {
  const { delays, deleteOnGone, disableAfter } = policyOf(delivery.surface);
  if (deleteOnGone && result.status === 410) {
    await pool.query('delete from webhooks.subscriptions where id = $1', [delivery.subscriptionId]);
    return;
  }
  const { delivered, status, snippet, error, durationMs } = result;
  const delay = delivered ? null : (delays[delivery.attempts] ?? null);
  const state = delivered ? 'delivered' : delay === null ? 'failed' : 'pending';
  const values = [delivery.id, delivery.lease, state, status, error, delay, uuid(), snippet, durationMs, disableAfter ?? null];
  await pool.query({ name: 'settle delivery', text: SETTLE, values });
}
