import type { Pool } from 'pg';
import type { Outbound } from '../outbound/index.ts';
import { type Notifications, QueueWorker } from '../queues/index.ts';
import type { Secrets } from '../secrets/index.ts';
import { log, webhookAttemptSeconds, webhookAttempts } from '../telemetry/index.ts';
import { type ClaimedDelivery, claimDue, countDue, dropOld, releaseLeases, renewLeases } from './claim.ts';
import { attempt, completeDelivery } from './delivery-attempt.ts';
import { policies } from './policies.ts';
import { Replayer } from './replayer.ts';

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
