import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { query, SWEEP_BUDGET, sql } from '../database/index.ts';
import { transactional } from '../scope/index.ts';

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
