/** One attempt of an activity: its heartbeats, its wait for a database that is away, and the failure that Temporal sees. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Pool } from 'pg';
import { isUnavailable } from '../platform/database/index.ts';
import { ProviderFault } from '../platform/model/index.ts';
import { log } from '../platform/telemetry/index.ts';

const HEARTBEAT_INTERVAL = 4_000;

/**
 * Send heartbeats, so that Temporal retries the activity of a killed worker within seconds. The signal aborts when the process shuts down
 * or loses the activity, and with `stopsOnCancel` also when the workflow is canceled.
 */
export function startHeartbeat({ stopsOnCancel = false } = {}): { signal: AbortSignal; abort(reason: Error): void; stop(): void } {
  const context = Context.current();
  const controller = new AbortController();
  const checkCancellation = () => {
    const { cancelRequested, workerShutdown } = context.cancellationDetails ?? {};
    if (context.cancellationSignal.aborted && (stopsOnCancel || workerShutdown || !cancelRequested))
      controller.abort(context.cancellationSignal.reason);
  };
  context.cancellationSignal.addEventListener('abort', checkCancellation);
  const timer = setInterval(() => {
    context.heartbeat();
    checkCancellation();
  }, HEARTBEAT_INTERVAL);
  return { signal: controller.signal, abort: (reason) => controller.abort(reason), stop: () => clearInterval(timer) };
}

/** Milliseconds until the workflow repeats an activity that gave up waiting for the database. */
export const AFTER_OUTAGE = 30_000;
/** Milliseconds that an activity waits for the database; shorter than its timeout. */
const PATIENCE = 8 * 60_000;
const PROBE_INTERVAL = 2_000;
/** Outages that one attempt may meet. Work that crashes the database each time must end. */
const MAX_OUTAGES = 20;

/**
 * Runs `work`, and again after each outage of the database, so that an outage costs no attempt. Returns undefined if an outage lasts
 * longer than an activity may wait; the workflow then repeats the activity. Other errors are thrown.
 */
export async function acrossOutages<T>(pool: Pool, work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const end = performance.now() + PATIENCE;
  for (let outages = 0; ; outages += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || outages >= MAX_OUTAGES || !isUnavailable(error)) throw error;
      // The error may belong to another service, or to a statement that takes too long.
      if (await acceptsWrites(pool)) throw error;
      log.warn({ err: error }, 'The database is unavailable; waiting for it');
      for (;;) {
        if (performance.now() > end) return undefined;
        await sleep(PROBE_INTERVAL, undefined, { signal });
        if (await acceptsWrites(pool)) break;
      }
    }
  }
}

/** During a failover, the former primary may only accept reads. */
async function acceptsWrites(pool: Pool): Promise<boolean> {
  try {
    const { rows } = await pool.query<{ writable: boolean }>(`select current_setting('transaction_read_only') = 'off' as writable`);
    return rows[0]!.writable;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return false;
  }
}

const MAX_RETRY_DELAY = 5 * 60_000;

/** The failure of an activity. Internal details stay in the log, because the Temporal UI has a wider audience. */
export function asFailure(error: unknown, message: string): unknown {
  if (error instanceof ProviderFault) {
    return ApplicationFailure.create({
      type: 'ProviderFault',
      message: error.message,
      // Temporal treats a delay of 0 as `no retry`, but a provider means `immediately`.
      nextRetryDelay: retryDelayOf(error) || undefined,
    });
  }
  log.error({ err: error }, message);
  return ApplicationFailure.create({ type: 'Internal', message: (error as Error).name });
}

/** Milliseconds that the provider asked to wait, capped. */
export const retryDelayOf = ({ retryAfterMs }: ProviderFault) => retryAfterMs && Math.min(retryAfterMs, MAX_RETRY_DELAY);
