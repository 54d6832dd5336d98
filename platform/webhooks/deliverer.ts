import type { Pool } from 'pg';
import type { Outbound } from '../outbound/index.ts';
import { type Notifications, QueueWorker } from '../queues/index.ts';
import type { Secrets } from '../secrets/index.ts';
import { log, webhookAttemptSeconds, webhookAttempts } from '../telemetry/index.ts';
import { type ClaimedDelivery, claimDue, countDue, dropOld, releaseLeases, renewLeases } from './claim.ts';
import { attempt, completeDelivery } from './delivery-attempt.ts';
import { policies } from './policies.ts';

export interface SweepResult {
  processed: number;
  delivered: number;
  failed: number;
  /** Deliveries that are due and not leased by any process. */
  remaining: number;
}

export interface Deliverer {
  /** Send due deliveries, and wait for them up to the time limit of a sweep. Safe to run in several processes concurrently. */
  sweep(): Promise<SweepResult>;
  /** Stop, and wait for the deliveries in progress up to a time limit. */
  close(): Promise<void>;
}

/** Concurrent deliveries of this process; one organization gets at most half of them. */
const WIDTH = 256;
const RENEWAL_MS = 5_000;
const MAX_SWEEP_MS = 45_000;
/** Shorter than the shutdown timeout of the process. */
const GRACE_MS = 8_000;

interface DelivererServices {
  pool: Pool;
  notifications: Notifications;
  secrets: Secrets;
}

// Alerts see no increase in the first value of a series.
for (const surface of Object.keys(policies))
  for (const outcome of ['delivered', 'failed']) webhookAttempts.inc({ surface, outcome }, 0);

/** Send deliveries as they become due, until `close`. */
export function startDeliverer({ pool, notifications, secrets }: DelivererServices, outbound: Outbound): Deliverer {
  const tally = { processed: 0, delivered: 0, failed: 0 };
  const sending = new Set<ClaimedDelivery>();
  let isAbandoned = false;

  const replayer = new Replayer(pool, notifications, () => void queue.fill());
  const queue = new QueueWorker<ClaimedDelivery>({
    name: 'webhook deliveries',
    width: WIDTH,
    interval: RENEWAL_MS,
    channel: 'webhook_deliveries',
    notifications,
    async claim(free, active) {
      await replayer.advance();
      return claimDue(pool, free, active);
    },
    renew: (active) => renewLeases(pool, active),
    async work(delivery) {
      sending.add(delivery);
      const result = await attempt(delivery, outbound.ownedBy(delivery.organizationId), secrets).finally(() =>
        sending.delete(delivery),
      );
      // This process closed the connection itself, so the result says nothing about the receiver.
      if (isAbandoned) return;
      await completeDelivery(pool, delivery, result);
      const { surface } = delivery;
      webhookAttempts.inc({ surface, outcome: result.delivered ? 'delivered' : 'failed' });
      webhookAttemptSeconds.observe({ surface }, result.durationMs / 1_000);
      tally.processed += 1;
      tally[result.delivered ? 'delivered' : 'failed'] += 1;
    },
  });

  return {
    async sweep() {
      const before = { ...tally };
      const deadline = performance.now() + MAX_SWEEP_MS;
      await dropOld(pool);
      await queue.fill();
      while (queue.size > 0 && (await queue.next(deadline - performance.now()))) await queue.fill();
      return {
        processed: tally.processed - before.processed,
        delivered: tally.delivered - before.delivered,
        failed: tally.failed - before.failed,
        remaining: await countDue(pool),
      };
    },
    async close() {
      replayer.close();
      await queue.close(GRACE_MS);
      isAbandoned = true;
      // If this fails, the leases expire.
      if (sending.size > 0)
        await releaseLeases(pool, [...sending]).catch((err: unknown) =>
          log.warn({ err }, 'Failed to release the leases of deliveries'),
        );
    },
  };
}

/** Deliveries that a replay schedules at a time, and due deliveries of a subscription at which its replay waits. */
const BATCH = 100;

const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * Schedules the next batch of the replay that has waited longest. One statement, so that a crash loses and repeats nothing, and any number
 * of processes may run it concurrently.
 */
const ADVANCE = `
  with replay as (
    select r.* from webhooks.replays r join webhooks.subscriptions s on s.id = r.subscription_id and s.enabled
     where r.ended_at is null and (
       select count(*) from (select 1 from webhooks.deliveries d
                              where d.subscription_id = r.subscription_id and d.next_attempt_at <= now() limit ${BATCH}) due) < ${BATCH}
     order by r.advanced_at limit 1 for update of r skip locked),
  batch as (
    select d.id, d.created_at from replay r cross join lateral (
      select id, created_at from webhooks.deliveries
       where subscription_id = r.subscription_id and status = any(r.statuses) and created_at < r."to"
         and (created_at, id) > (coalesce(r.cursor_time, r."from"), coalesce(r.cursor_id, '${NIL}'))
       order by created_at, id limit ${BATCH}) d),
  scheduled as (
    update webhooks.deliveries d set status = 'pending', next_attempt_at = now(), losses = 0
      from batch where d.id = batch.id and d.next_attempt_at is null returning d.id),
  latest as (select id, created_at from batch order by created_at desc, id desc limit 1)
  update webhooks.replays r
     set scheduled = r.scheduled + (select count(*) from scheduled), advanced_at = now(),
         cursor_time = coalesce((select created_at from latest), r.cursor_time), cursor_id = coalesce((select id from latest), r.cursor_id),
         status = case when (select count(*) from batch) < ${BATCH} then 'completed' else r.status end,
         ended_at = case when (select count(*) from batch) < ${BATCH} then now() end
    from replay where r.id = replay.id`;

const IS_RUNNING = `
  select exists (select 1 from webhooks.replays r join webhooks.subscriptions s on s.id = r.subscription_id and s.enabled
                  where r.ended_at is null) as running`;

const POLL_MS = 5_000;

/** Schedules the deliveries of running replays, a batch at a time, as their subscriptions drain. */
class Replayer {
  readonly #stopListening: () => void;
  #isRunning = true;
  #checkedAt = performance.now();

  constructor(
    private readonly pool: Pool,
    notifications: Notifications,
    onStart: () => void,
  ) {
    this.#stopListening = notifications.on('webhook_replays', () => {
      this.#isRunning = true;
      onStart();
    });
  }

  /** Schedule what fits. Costs nothing while no replay is running. Never rejects. */
  async advance(): Promise<void> {
    if (!this.#isRunning && performance.now() - this.#checkedAt < POLL_MS) return;
    try {
      while ((await this.pool.query(ADVANCE)).rowCount);
      this.#checkedAt = performance.now();
      this.#isRunning = (await this.pool.query<{ running: boolean }>(IS_RUNNING)).rows[0]!.running;
    } catch (err) {
      log.warn({ err }, 'Failed to advance the replays of deliveries');
    }
  }

  close(): void {
    this.#stopListening();
  }
}
