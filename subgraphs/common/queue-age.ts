import type { Pool } from 'pg';
import { LEASED, WAITING } from './webhooks/claim.ts';

/** The gauge of queue ages, reported by every process that has a database. */
export const queueAge = {
  name: 'queue_oldest_seconds',
  help: 'Age of the oldest message in the outbox, and of the oldest due webhook delivery whose subscription no worker serves.',
} as const;

/** Ignores subscriptions that a worker is serving: a slow receiver may have a long backlog of its own. */
const AGES = `
  with recursive ${WAITING}
  select 'outbox' as queue, min(created_at) as since from identity.outbox
  union all
  select 'webhook_deliveries', min(d.next_attempt_at)
    from waiting w join webhooks.subscriptions s on s.id = w.id and s.enabled
    cross join lateral (select min(next_attempt_at) as next_attempt_at from webhooks.deliveries
                         where subscription_id = s.id and next_attempt_at <= now()) d
   where not exists (select 1 from webhooks.deliveries where subscription_id = s.id and ${LEASED})`;

/** Age of the oldest message of each queue in seconds; 0 for an empty queue. */
export async function readQueueAges(pool: Pool): Promise<{ queue: string; seconds: number }[]> {
  const { rows } = await pool.query<{ queue: string; seconds: string }>(
    `select queue, coalesce(greatest(extract(epoch from now() - since), 0), 0) as seconds from (${AGES}) ages`,
  );
  return rows.map(({ queue, seconds }) => ({ queue, seconds: Number(seconds) }));
}
