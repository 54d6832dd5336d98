import type { Pool } from 'pg';
import type { Notifications } from '../queues/index.ts';
import { log } from '../telemetry/index.ts';

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
export class Replayer {
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
