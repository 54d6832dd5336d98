import type { Pool } from 'pg';
import { deleteOld } from '../../../platform/database/index.ts';

/** Days for which the lists report a deletion. */
const DAYS = 90;

/** Deletes and marks in one statement, so that a reader finds each deletion in the feed or in the mark. */
const EXPIRED = `
  with expired as (
    delete from site_content.changes where record_id in (
      select record_id from site_content.changes where deleted and at < now() - interval '1 day' * $1 order by at limit $2 for update skip locked)
    returning organization_id, list, parent_id, revision),
  marked as (
    insert into site_content.pruned_changes as p (organization_id, list, parent_id, revision)
    select organization_id, list, parent_id, max(revision) from expired group by 1, 2, 3 order by 3, 2
    on conflict (parent_id, list) do update set revision = greatest(p.revision, excluded.revision))
  select from expired`;

/** Forget old deletions of content, and return their number. */
export const pruneChanges = (pool: Pool, days = DAYS): Promise<number> => deleteOld(pool, EXPIRED, days);
