import type { Pool } from 'pg';
import { SWEEP_BUDGET } from '../../../platform/database/index.ts';

const BATCH = 1_000;
const FIRST = { organization: '00000000-0000-0000-0000-000000000000', subject: '', key: '00000000-0000-0000-0000-000000000000' };

/**
 * Archived products, values, sets, histories and categories below it still follow a name that no product and no record has. A later sweep
 * deletes the one above it.
 */
const SWEEP = `
  with unlisted as materialized (
    select organization_id, subject, key from catalog.labels
     where not (total_count > 0 or created_count > 0) and (organization_id, subject, key) > ($1::uuid, $2, $3::uuid)
     order by organization_id, subject, key limit ${BATCH} for update skip locked),
  unused as (
    select u.* from unlisted u
     where not exists (select from catalog.labels b where b.organization_id = u.organization_id and b.parent_key = u.key)
       and not exists (select from catalog.label_values v where (v.organization_id, v.subject, v.key) = (u.organization_id, u.subject, u.key))
       and not exists (select from catalog.label_moves m where (m.organization_id, m.subject) = (u.organization_id, u.subject))
       and not exists (select from catalog.job_items i
             where i.organization_id = u.organization_id and i.subject = u.subject and i.label is not null and catalog.name_key(i.label) = u.key)
       and case u.subject when 'brand' then not exists (select from catalog.products p
             where p.organization_id = u.organization_id and p.brand is not null and catalog.name_key(p.brand) = u.key)
           else not exists (select from catalog.products p
             where p.organization_id = u.organization_id and p.category is not null and catalog.name_key(p.category) = u.key)
            and not exists (select from catalog.category_sets s where s.organization_id = u.organization_id and s.category = u.key) end),
  gone as (
    delete from catalog.labels l using unused u where (l.organization_id, l.subject, l.key) = (u.organization_id, u.subject, u.key) returning 1)
  select (select count(*)::int from gone) as deleted, last.* from (
    select organization_id as organization, subject, key from unlisted order by 1 desc, 2 desc, 3 desc limit 1) last`;

/** Forgets the names of brands and categories that nothing uses any more, and returns their number. */
export async function forgetLabels(pool: Pool, budget = SWEEP_BUDGET): Promise<number> {
  const end = performance.now() + budget;
  let deleted = 0;
  let after = FIRST;
  do {
    const { rows } = await pool.query<typeof FIRST & { deleted: number }>(SWEEP, [after.organization, after.subject, after.key]);
    if (!rows[0]) break;
    deleted += rows[0].deleted;
    after = rows[0];
  } while (performance.now() < end);
  return deleted;
}
