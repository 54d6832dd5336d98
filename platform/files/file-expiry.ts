import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { deleteOld, query, SWEEP_BUDGET, sql } from '../database/index.ts';
import { QueueWorker } from '../queues/index.ts';
import { transactional } from '../scope/index.ts';
import type { Services } from '../subgraph/index.ts';
import { log } from '../telemetry/index.ts';

const INTERVAL = 60_000;
const WIDTH = 20;
/** Milliseconds that deletions in progress get when the process shuts down. No deletion of unused files takes longer; the next continues. */
const GRACE = 5_000;
const ABANDONED = `
  delete from catalog.files where id in (
    select id from catalog.files where not ready and not kept and created_at < now() - $1::int * interval '1 day' limit $2 for update skip locked)`;
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

/** Files per transaction. Each may have a hundred rows of content. */
const BATCH = 20;

/** Delete files that no job used for this number of days. Returns their number. Safe to run concurrently. */
export async function deleteUnusedFiles(orm: MikroORM, days: number, budget = SWEEP_BUDGET): Promise<number> {
  const end = performance.now() + budget;
  let total = 0;
  let examined: number;
  do {
    const batch = await transactional(orm.em.fork(), (em) => deleteBatch(em, days));
    total += batch.deleted;
    examined = batch.examined;
  } while (examined === BATCH && performance.now() < end);
  return total;
}

/** The lock comes first: the next statement then sees every job that was created with one of the files. */
async function deleteBatch(em: EntityManager, days: number): Promise<{ examined: number; deleted: number }> {
  const files = await query(
    em,
    sql<{ id: string }>`select id from catalog.files where ready and used_at < now() - ${days}::int * interval '1 day'
       order by used_at limit ${BATCH} for update skip locked`,
  );
  const ids = files.map(({ id }) => id);
  await renewUsed(em, ids);
  const deleted = await query(
    em,
    sql`delete from catalog.files where id = any(${ids}::uuid[]) and used_at < now() - ${days}::int * interval '1 day' returning 1`,
  );
  return { examined: ids.length, deleted: deleted.length };
}

/** A job uses its files until it ends. */
const renewUsed = (em: EntityManager, ids: readonly string[]) =>
  query(
    em,
    sql`update catalog.files f set used_at = u.used_at
          from unnest(${ids}::uuid[]) given (id) cross join lateral (
            select max(case when j.status in ('pending', 'processing') then now() else coalesce(j.completed_at, j.created_at) end) as used_at
              from catalog.jobs j where j.uploaded_file_ids @> array[given.id] and j.uploaded_file_ids <> '{}') u
         where f.id = given.id and u.used_at > f.used_at`,
  );
