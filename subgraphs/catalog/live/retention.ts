import type { Pool } from 'pg';
import { deleteOld } from '../../common/retention.ts';

/** Days within which a subscriber can resume. */
const DAYS = 30;

/** The latest change stays, because it has the current number. */
const EXPIRED = `
  delete from catalog.organization_changes where (organization_id, sequence) in (
    select c.organization_id, c.sequence from catalog.organization_changes c
      join catalog.organization_sequences s on s.organization_id = c.organization_id and s.sequence > c.sequence
     where c.at < now() - interval '1 day' * $1 order by c.at limit $2)`;

/** Delete old changes of organizations, and return their number. */
export const sweepChanges = (pool: Pool, days = DAYS): Promise<number> => deleteOld(pool, EXPIRED, days);
