import { log } from '../log.ts';
import { QueueWorker } from '../queue.ts';
import type { Services } from '../services.ts';

const INTERVAL = 60_000;
const WIDTH = 20;
/** Milliseconds for the deletions in progress when the process ends. */
const GRACE = 5_000;
const ABANDONED = `delete from catalog.files where not ready and created_at < now() - interval '1 day'`;
/** Leased for longer than the store may take, retries included. */
const CLAIM = `
  update catalog.removed_objects set due_at = now() + interval '5 minutes'
   where key in (select key from catalog.removed_objects where due_at <= now() order by due_at limit $1 for update skip locked)
  returning key`;

/**
 * Until the returned function is called: removes uploads that no request used within a day, and deletes the objects of removed files
 * from the bucket as soon as their rows are gone.
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
    pool.query(ABANDONED).catch((error: unknown) => log.warn({ err: error }, 'abandoned uploads could not be removed'));
  const timer = setInterval(removeAbandoned, INTERVAL);
  void removeAbandoned();
  return async () => {
    clearInterval(timer);
    await queue?.close(GRACE);
  };
}
