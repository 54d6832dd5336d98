/** One attempt of an activity: its heartbeats, its wait for a database that is away, the failure that Temporal sees, and the load of the worker. */

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

/** Share of the slots that the first windows of an organization fill, up to which jobs may grow, from which and to which they shrink. */
const [FIRST, ROOM, CROWDED, RELIEVED] = [0.5, 0.75, 0.9, 0.8];

/** Milliseconds until the items of a job that began run. */
const START_MS = 2_000;

/** The items of jobs and the repeats of tests that run in this worker, by organization. Limits how many each organization runs. */
export class WorkerLoad {
  readonly #counts = new Map<string, number>();
  #total = 0;
  /** Results of a single organization in a crowded worker. */
  #crowded = 0;
  #begun: { organizationId: string; lanes: number; at: number }[] = [];

  constructor(private readonly slots: number) {}

  get hasRoom(): boolean {
    return this.#total <= this.slots * ROOM;
  }

  /**
   * Whether hardly any slot is free, and the organization runs at least as many items as the average one. An organization that is alone
   * must shrink too, so that items of others do not wait behind its queue. Then only one in four results is true: if all its jobs shrank at
   * once, slots would stay idle.
   */
  isCrowdedBy(organizationId: string): boolean {
    if (this.#total < this.slots * CROWDED || (this.#counts.get(organizationId) ?? 0) * this.#counts.size < this.#total)
      return false;
    if (this.#counts.size > 1) return true;
    this.#crowded += 1;
    return this.#crowded % 4 === 1;
  }

  /**
   * The share of its window that a job of the organization keeps in a crowded worker, at least half. If all slots are taken, it is half,
   * because the number of waiting items is unknown.
   */
  shareOf(organizationId: string): number {
    if (this.#total >= this.slots) return 0.5;
    const excess = this.#total - this.slots * RELIEVED;
    return Math.max(0.5, 1 - excess / (this.#counts.get(organizationId) ?? 1));
  }

  /**
   * The first window of a job, at least one lane. Jobs of one organization that begin at the same time fill at most half of the worker.
   * Otherwise items of other organizations would wait behind their queue.
   */
  begin(organizationId: string, concurrency: number): number {
    const now = Date.now();
    this.#begun = this.#begun.filter(({ at }) => now - at < START_MS);
    const begun = this.#begun.reduce((sum, job) => sum + (job.organizationId === organizationId ? job.lanes : 0), 0);
    const room = Math.floor(this.slots * FIRST) - begun - (this.#counts.get(organizationId) ?? 0);
    // Beside a job that has filled the worker, a single new one gets half of the free slots, so that the first one shrinks.
    const free = begun === 0 ? Math.floor((this.slots - this.#total) / 2) : 0;
    const lanes = Math.max(1, Math.min(concurrency, Math.max(room, free)));
    this.#begun.push({ organizationId, lanes, at: now });
    return lanes;
  }

  add(organizationId: string): void {
    this.#total += 1;
    this.#counts.set(organizationId, (this.#counts.get(organizationId) ?? 0) + 1);
  }

  remove(organizationId: string): void {
    this.#total -= 1;
    const left = this.#counts.get(organizationId)! - 1;
    if (left > 0) this.#counts.set(organizationId, left);
    else this.#counts.delete(organizationId);
  }
}
