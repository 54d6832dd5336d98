import type { Pool } from 'pg';
import { v7 as uuid } from 'uuid';
import { inTransaction } from '../database/index.ts';
import { increment } from '../queues/index.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { AttemptResult } from './delivery-attempt.ts';
import { policyOf } from './policies.ts';

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
export async function settle(pool: Pool, delivery: ClaimedDelivery, result: AttemptResult): Promise<void> {
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
