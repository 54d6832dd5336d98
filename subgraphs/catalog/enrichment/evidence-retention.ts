import type { Pool } from 'pg';
import { inTransaction, SWEEP_BUDGET } from '../../../platform/database/index.ts';

export interface EvidenceLimits {
  /** Days to keep a text after its last use by an item. */
  days: number;
  /** Total size of texts per organization. The most recently used ones stay. */
  bytes: number;
}

const LIMITS: EvidenceLimits = { days: 90, bytes: 500 * 1024 * 1024 };
/** Texts per transaction. */
const BATCH = 200;

const EXPIRED = `
  select organization_id, hash from catalog.source_texts where used_at < now() - interval '1 day' * $1
   order by used_at limit $2 for update skip locked`;

/**
 * Checks only organizations that stored texts since about the previous sweep; others cannot have exceeded the limit. Skips a text that an
 * item used after the snapshot, because PostgreSQL compares the time again when it locks the row.
 */
const OVER_LIMIT = `
  select t.organization_id, t.hash from catalog.source_texts t join (
      select organization_id, hash, used_at, sum(bytes) over (partition by organization_id order by used_at desc, hash) as total
        from catalog.source_texts
       where organization_id in (select organization_id from catalog.source_texts where used_at > now() - interval '3 hours')
    ) as newest using (organization_id, hash)
   where newest.total > $1 and t.used_at = newest.used_at
   limit $2 for update of t skip locked`;

const SELECTED = 'unnest($1::uuid[], $2::text[]) as gone (organization_id, hash)';
/** A rerun would mistake some of the sources of an item for all of them, so all are deleted. */
const DROP_SOURCES = `
  delete from catalog.item_sources where item_id in (
    select s.item_id from catalog.item_sources s join ${SELECTED} on s.organization_id = gone.organization_id and s.hash = gone.hash)`;
const DROP_TEXTS = `
  delete from catalog.source_texts t using ${SELECTED} where t.organization_id = gone.organization_id and t.hash = gone.hash`;

/** Deletes texts beyond the age and size limits and returns their number. Safe to run concurrently. */
export async function forgetEvidence(pool: Pool, { days, bytes }: EvidenceLimits = LIMITS): Promise<number> {
  return (await deleteTexts(pool, EXPIRED, days)) + (await deleteTexts(pool, OVER_LIMIT, bytes));
}

async function deleteTexts(pool: Pool, selection: string, limit: number): Promise<number> {
  // Both selections share the budget.
  const end = performance.now() + SWEEP_BUDGET / 2;
  let total = 0;
  do {
    const deleted = await inTransaction(pool, async (connection) => {
      // The lock prevents items that complete concurrently from referencing these texts.
      const { rows } = await connection.query<{ organization_id: string; hash: string }>(selection, [limit, BATCH]);
      const selected = [rows.map((row) => row.organization_id), rows.map(({ hash }) => hash)];
      await connection.query(DROP_SOURCES, selected);
      await connection.query(DROP_TEXTS, selected);
      return rows.length;
    });
    total += deleted;
    if (deleted < BATCH) break;
  } while (performance.now() < end);
  return total;
}
