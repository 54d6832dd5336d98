import type { Pool } from 'pg';
import type { Notifications } from '../notifications.ts';
import type { Outbound } from '../outbound/client.ts';
import { QueueWorker } from '../queue.ts';
import type { Secrets } from '../secrets.ts';
import { attempt } from './attempt.ts';
import { type Claimed, claimDue, countDue, dropOld, renewLeases } from './claim.ts';
import { settle } from './settle.ts';

export interface Swept {
  processed: number;
  delivered: number;
  failed: number;
  /** Due, and not leased by any process. */
  remaining: number;
}

export interface Deliverer {
  /** Send what is due, and wait for it as long as a sweep may take. Safe to run in several processes at the same time. */
  sweep(): Promise<Swept>;
  /** Finish the deliveries in progress, up to a time limit. */
  close(): Promise<void>;
}

/** Deliveries that this process sends at a time; one organization gets at most half of them. */
const WIDTH = 256;
const RENEWAL_MS = 5_000;
const LONGEST_SWEEP_MS = 45_000;
/** Shorter than a process may take to end. */
const GRACE_MS = 8_000;

interface Given {
  pool: Pool;
  notifications: Notifications;
  secrets: Secrets;
}

/** Sends deliveries as they become due, until it is closed. */
export function startDeliverer({ pool, notifications, secrets }: Given, outbound: Outbound): Deliverer {
  const tally = { processed: 0, delivered: 0, failed: 0 };
  let isAbandoned = false;

  const queue = new QueueWorker<Claimed>({
    name: 'webhook deliveries',
    width: WIDTH,
    interval: RENEWAL_MS,
    channel: 'webhook_deliveries',
    notifications,
    claim: (free, active) => claimDue(pool, free, active),
    onInterval: async (active) => active.length > 0 && renewLeases(pool, active),
    async work(delivery) {
      const result = await attempt(delivery, outbound.ownedBy(delivery.organizationId), secrets);
      // This process cut the connection itself, which says nothing about the receiver.
      if (isAbandoned) return;
      await settle(pool, delivery, result);
      tally.processed += 1;
      tally[result.delivered ? 'delivered' : 'failed'] += 1;
    },
  });

  return {
    async sweep() {
      const before = { ...tally };
      const deadline = Date.now() + LONGEST_SWEEP_MS;
      await dropOld(pool);
      await queue.fill();
      while (queue.size > 0 && (await queue.next(deadline - Date.now()))) await queue.fill();
      return {
        processed: tally.processed - before.processed,
        delivered: tally.delivered - before.delivered,
        failed: tally.failed - before.failed,
        remaining: await countDue(pool),
      };
    },
    async close() {
      await queue.close(GRACE_MS);
      // Another process takes over what is left when its lease expires.
      isAbandoned = true;
    },
  };
}
