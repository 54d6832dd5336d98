import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { v4 as uuid } from 'uuid';
import { log } from '../log.ts';
import type { Notifications } from '../notifications.ts';
import type { Outbound } from '../outbound/client.ts';
import type { Secrets } from '../secrets.ts';
import { attempt } from './attempt.ts';
import { type Claimed, claimDue, countDue, dropOld, renewLeases } from './claim.ts';
import { settle } from './settle.ts';

export interface Swept {
  processed: number;
  delivered: number;
  failed: number;
  /** Due, and not taken up by anybody yet. */
  remaining: number;
}

export interface Deliverer {
  /** Deliver what is due, also after nobody was told of it. Safe to run anywhere at the same time. */
  sweep(): Promise<Swept>;
  /** Finish what is in hand. */
  close(): Promise<void>;
}

/** Deliveries in hand of this process, and of one subscription everywhere: a receiver that hangs holds up only its own. */
const [WIDTH, PER_SUBSCRIPTION] = [128, 8];
const BEAT_MS = 5_000;
const LONGEST_SWEEP_MS = 45_000;
/** Shorter than a process may take to end. */
const PATIENCE_MS = 8_000;

interface Given {
  pool: Pool;
  notifications: Notifications;
  secrets: Secrets;
}

/** Sends deliveries as they become due, from now until it is closed. */
export function startDeliverer({ pool, notifications, secrets }: Given, outbound: Outbound): Deliverer {
  const holder = uuid();
  const inHand = new Set<Promise<void>>();
  const tally = { processed: 0, delivered: 0, failed: 0 };
  let filling: Promise<void> | undefined;
  let wanted = false;
  let closed = false;
  let abandoned = false;

  const send = async (delivery: Claimed) => {
    try {
      const result = await attempt(delivery, outbound, secrets);
      // The line was cut by this process; the next one will say what the receiver does.
      if (abandoned) return;
      await settle(pool, holder, delivery, result);
      tally.processed += 1;
      tally[result.delivered ? 'delivered' : 'failed'] += 1;
    } catch (error) {
      log.warn({ err: error, delivery: delivery.id }, 'what came of a delivery was not recorded; it will be sent again');
    }
  };
  const start = (delivery: Claimed) => {
    const sending = send(delivery).finally(() => {
      inHand.delete(sending);
      void fill();
    });
    inHand.add(sending);
  };
  /** Take up what is due as far as there are hands for it. */
  const fill = async (): Promise<void> => {
    wanted = true;
    if (closed || inHand.size >= WIDTH) return;
    filling ??= fillHands();
    await filling;
  };
  const fillHands = async () => {
    do {
      wanted = false;
      const claimed = await claimDue(pool, holder, WIDTH - inHand.size, PER_SUBSCRIPTION).catch(unreadable);
      for (const delivery of claimed) start(delivery);
    } while (wanted && !closed && inHand.size < WIDTH);
    // In the same turn as the last look at `wanted`: a wake-up in between would be lost.
    filling = undefined;
  };

  const beat = async () => {
    if (inHand.size > 0) await renewLeases(pool, holder).catch(unreadable);
    // What came due meanwhile, and what a killed process had in hand.
    await fill();
  };
  const timer = setInterval(beat, BEAT_MS);
  const silence = notifications.on('webhook_deliveries', () => void fill());
  void fill();

  return {
    async sweep() {
      const before = { ...tally };
      const patience = new AbortController();
      const late = sleep(LONGEST_SWEEP_MS, 'late', { signal: patience.signal }).catch(() => 'late');
      await dropOld(pool);
      await fill();
      while (inHand.size > 0 && (await Promise.race([late, ...inHand])) !== 'late') await fill();
      patience.abort();
      return {
        processed: tally.processed - before.processed,
        delivered: tally.delivered - before.delivered,
        failed: tally.failed - before.failed,
        remaining: await countDue(pool),
      };
    },
    async close() {
      closed = true;
      silence();
      clearInterval(timer);
      await filling;
      // What takes longer is sent again by another process.
      await Promise.race([Promise.all(inHand), sleep(PATIENCE_MS, undefined, { ref: false })]);
      abandoned = true;
    },
  };
}

function unreadable(error: unknown): [] {
  log.warn({ err: error }, 'the deliveries could not be read');
  return [];
}
