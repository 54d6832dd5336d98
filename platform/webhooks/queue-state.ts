import type { Pool } from 'pg';
import { LEASED, WAITING } from './claim.ts';

/** The length is counted up to this number, so that a long queue does not make the metrics expensive. */
const MAX_LENGTH = 10_000;

interface QueueState {
  queue: 'outbox' | 'webhook_deliveries';
  /** Age of the oldest message in seconds; 0 for an empty queue. */
  seconds: number;
  /** Waiting messages, at most `MAX_LENGTH`. */
  length: number;
}

/** The age ignores subscriptions that a worker is serving: a slow receiver may have a long backlog of its own. */
const STATES = `
  with recursive ${WAITING}
  select 'outbox' as queue, min(created_at) as since,
         (select count(*) from (select from identity.outbox limit ${MAX_LENGTH}) o) as length
    from identity.outbox
  union all
  select 'webhook_deliveries', min(d.next_attempt_at),
         (select count(*) from (select from webhooks.deliveries where next_attempt_at <= now() limit ${MAX_LENGTH}) o)
    from waiting w join webhooks.subscriptions s on s.id = w.id and s.enabled
    cross join lateral (select min(next_attempt_at) as next_attempt_at from webhooks.deliveries
                         where subscription_id = s.id and next_attempt_at <= now()) d
   where not exists (select 1 from webhooks.deliveries where subscription_id = s.id and ${LEASED})`;

/** The age and length of the outbox and of the webhook deliveries. */
export async function readQueues(pool: Pool): Promise<QueueState[]> {
  const { rows } = await pool.query<{ queue: QueueState['queue']; seconds: string; length: string }>(
    `select queue, coalesce(greatest(extract(epoch from now() - since), 0), 0) as seconds, length from (${STATES}) states`,
  );
  return rows.map(({ queue, seconds, length }) => ({ queue, seconds: Number(seconds), length: Number(length) }));
}
