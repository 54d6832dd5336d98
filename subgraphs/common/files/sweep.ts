import { log } from '../log.ts';
import type { Services } from '../services.ts';

const EVERY = 60_000;
const ABANDONED = `delete from catalog.files where not ready and created_at < now() - interval '1 day'`;
/** For a while: what a process that ends meanwhile leaves undone comes back. */
const CLAIM = `
  update catalog.removed_objects set due_at = now() + interval '5 minutes'
   where key in (select key from catalog.removed_objects where due_at <= now() order by due_at limit 50 for update skip locked)
  returning key`;

/**
 * Until the returned function is called: removes uploads that nothing took up within a day, and from the bucket the objects of files
 * that are gone, as soon as they are.
 */
export function startFileSweep({
  pool,
  bucket,
  notifications,
}: Pick<Services, 'pool' | 'bucket' | 'notifications'>): () => Promise<void> {
  let running = Promise.resolve();
  let [wanted, closed] = [false, false];

  const empty = async () => {
    while (bucket && !closed) {
      const { rows } = await pool.query<{ key: string }>(CLAIM);
      if (rows.length === 0) return;
      await Promise.all(rows.map(({ key }) => remove(key)));
    }
  };
  const remove = async (key: string) => {
    try {
      await bucket!.delete(key);
      await pool.query('delete from catalog.removed_objects where key = $1', [key]);
    } catch (error) {
      log.warn({ err: error, key }, 'an object was not deleted from the bucket; it will be tried again');
    }
  };
  const wake = () => {
    if (wanted || closed) return;
    wanted = true;
    running = running.then(async () => {
      wanted = false;
      await empty().catch((error: unknown) => log.warn({ err: error }, 'the bucket could not be swept'));
    });
  };
  const look = () => {
    pool.query(ABANDONED).catch((error: unknown) => log.warn({ err: error }, 'abandoned uploads could not be removed'));
    wake();
  };

  const silence = notifications.on('removed_objects', wake);
  const timer = setInterval(look, EVERY);
  look();
  return async () => {
    closed = true;
    clearInterval(timer);
    silence();
    await running;
  };
}
