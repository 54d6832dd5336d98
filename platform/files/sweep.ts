import { deleteOld } from '../database/index.ts';
import { QueueWorker } from '../queues/index.ts';
import type { Services } from '../subgraph/index.ts';
import { log } from '../telemetry/index.ts';
import { deleteUnusedFiles } from './expiry.ts';

const INTERVAL = 60_000;
const WIDTH = 20;
/** Milliseconds that deletions in progress get when the process shuts down. No deletion of unused files takes longer; the next continues. */
const GRACE = 5_000;
const ABANDONED = `
  delete from catalog.files where id in (
    select id from catalog.files where not ready and created_at < now() - $1::int * interval '1 day' limit $2 for update skip locked)`;
/** The lease exceeds the timeout of the store, including retries. */
const CLAIM = `
  update catalog.removed_objects set due_at = now() + interval '5 minutes'
   where key in (select key from catalog.removed_objects where due_at <= now() order by due_at limit $1 for update skip locked)
  returning key`;

/**
 * Delete uploads that no request used within a day, files that no job used for long, and the objects of deleted files from the bucket.
 * Runs until the returned function is called.
 */
export function startFileSweep({
  orm,
  pool,
  bucket,
  fileLimits,
  notifications,
}: Pick<Services, 'orm' | 'pool' | 'bucket' | 'fileLimits' | 'notifications'>): () => Promise<void> {
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
  let removing: Promise<unknown>;
  const removeUnused = () => {
    const deletions = [deleteOld(pool, ABANDONED, 1, GRACE), deleteUnusedFiles(orm, fileLimits.retentionDays, GRACE)];
    removing = Promise.all(deletions).catch((err: unknown) => log.warn({ err }, 'Failed to delete unused files'));
  };
  const timer = setInterval(removeUnused, INTERVAL);
  removeUnused();
  return async () => {
    clearInterval(timer);
    await Promise.all([removing, queue?.close(GRACE)]);
  };
}
