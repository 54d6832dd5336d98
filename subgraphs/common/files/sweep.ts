import { log } from '../log.ts';
import { QueueWorker } from '../queue.ts';
import type { Services } from '../services.ts';

const INTERVAL = 60_000;
const WIDTH = 20;
/** Milliseconds that deletions in progress get when the process shuts down. */
const GRACE = 5_000;
const ABANDONED = `delete from catalog.files where not ready and created_at < now() - interval '1 day'`;
/** The lease exceeds the timeout of the store, including retries. */
const CLAIM = `
  update catalog.removed_objects set due_at = now() + interval '5 minutes'
   where key in (select key from catalog.removed_objects where due_at <= now() order by due_at limit $1 for update skip locked)
  returning key`;

/**
 * Delete uploads that no request used within a day, and delete the objects of deleted files from the bucket. Runs until the returned
 * function is called.
 */
export function startFileSweep({
  pool,
  bucket,
  notifications,
}: Pick<Services, 'pool' | 'bucket' | 'notifications'>): () => Promise<void> {
  const queue =
    bucket &&
    new QueueWorker<{ key: string }>({
      name: 'removed objects',
      width: WIDTH,
      interval: INTERVAL,
      channel: 'removed_objects',
      notifications,
      claim: async (free) => (await pool.query<{ key: string }>(CLAIM, [free])).rows,
      async work({ key }) {
        await bucket.delete(key);
        await pool.query('delete from catalog.removed_objects where key = $1', [key]);
      },
    });
  const removeAbandoned = () =>
    pool.query(ABANDONED).catch((error: unknown) => log.warn({ err: error }, 'Failed to delete abandoned uploads'));
  const timer = setInterval(removeAbandoned, INTERVAL);
  void removeAbandoned();
  return async () => {
    clearInterval(timer);
    await queue?.close(GRACE);
  };
}
