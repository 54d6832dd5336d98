import type { Pool, PoolClient } from 'pg';
import { trackTransaction } from '../../common/transactions.ts';

export interface EvidenceLimits {
  /** How long a text is kept after an item was last read from it. */
  days: number;
  /** How much of them an organization keeps: the newest. */
  bytes: number;
}

const LIMITS: EvidenceLimits = { days: 90, bytes: 500 * 1024 * 1024 };
/** Texts of one transaction, and transactions of one sweep: what is left is for the next. */
const [BATCH, MOST_BATCHES] = [200, 100];

const TOO_OLD = `
  select organization_id, hash from catalog.source_texts where used_at < now() - interval '1 day' * $1
   order by used_at limit $2 for update skip locked`;

/** Only who kept something since the sweep before, and some before that, can have come to keep too much. */
const TOO_MUCH = `
  select organization_id, hash from catalog.source_texts where (organization_id, hash) in (
      select organization_id, hash from (
        select organization_id, hash, sum(bytes) over (partition by organization_id order by used_at desc, hash) as total
          from catalog.source_texts
         where organization_id in (select organization_id from catalog.source_texts where used_at > now() - interval '3 hours')
      ) as newest where total > $1)
   limit $2 for update skip locked`;

const GIVEN = 'unnest($1::uuid[], $2::text[]) as gone (organization_id, hash)';
/** A part of what an item was read from would be taken for the whole: all of it goes, and the item is read anew. */
const DROP_SOURCES = `
  delete from catalog.item_sources where item_id in (
    select s.item_id from catalog.item_sources s join ${GIVEN} on s.organization_id = gone.organization_id and s.hash = gone.hash)`;
const DROP_TEXTS = `
  delete from catalog.source_texts t using ${GIVEN} where t.organization_id = gone.organization_id and t.hash = gone.hash`;

/** Forget the texts that are too old, or that an organization has too many of. Says how many; safe to run anywhere at the same time. */
export async function forgetEvidence(pool: Pool, { days, bytes }: EvidenceLimits = LIMITS): Promise<number> {
  const connection = await pool.connect();
  try {
    return (await forget(connection, TOO_OLD, days)) + (await forget(connection, TOO_MUCH, bytes));
  } finally {
    connection.release();
  }
}

async function forget(connection: PoolClient, which: string, limit: number): Promise<number> {
  let total = 0;
  for (let batches = 0; batches < MOST_BATCHES; batches += 1) {
    const gone = await inTransaction(connection, async () => {
      // They stay locked, so that no item that ends meanwhile relies on them.
      const { rows } = await connection.query<{ organization_id: string; hash: string }>(which, [limit, BATCH]);
      const given = [rows.map((row) => row.organization_id), rows.map(({ hash }) => hash)];
      await connection.query(DROP_SOURCES, given);
      await connection.query(DROP_TEXTS, given);
      return rows.length;
    });
    total += gone;
    if (gone < BATCH) break;
  }
  return total;
}

function inTransaction<T>(connection: PoolClient, work: () => Promise<T>): Promise<T> {
  return trackTransaction(async (body: (_: undefined) => Promise<T>) => {
    await connection.query('begin');
    try {
      const result = await body(undefined);
      await connection.query('commit');
      return result;
    } catch (error) {
      await connection.query('rollback');
      throw error;
    }
  }, work);
}
