import type { Pool } from 'pg';
import { inTransaction, query, queryPrepared, SWEEP_BUDGET, sql } from '../../../platform/database/index.ts';
import { fitSources } from '../../../platform/model/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { truncate } from '../../../schema/text.ts';
import type { Job } from '../jobs/entity.ts';
import type { ReadSource } from './sources.ts';

/** Characters of one stored text, and of the texts that an item reads. */
const [MAX_TEXT_LENGTH, MAX_EVIDENCE] = [100_000, 1_000_000];

/**
 * Stores the texts of sources, once per organization, for reruns. Locks them until the commit, so that concurrent retention
 * (the sweep `evidence`) cannot delete them.
 */
export async function storeTexts({ em, organizationId }: Scope, sources: readonly ReadSource[]): Promise<void> {
  const texts = new Map(sources.map(({ contentHash, text }) => [contentHash, truncate(text, MAX_TEXT_LENGTH)]));
  for (let open = [...texts.keys()]; open.length > 0; ) {
    // A fixed order prevents deadlocks between items that share texts.
    open.sort();
    const written = open.map((hash) => texts.get(hash)!);
    const found = await queryPrepared(
      em,
      sql<{ hash: string; aged: boolean }>`with added as (
            insert into catalog.source_texts (organization_id, hash, text)
            select ${organizationId}, hash, text from unnest(${open}::text[], ${written}::text[]) as read (hash, text)
            on conflict do nothing returning hash
          ), held as (
            select hash, used_at < now() - interval '1 day' as aged from catalog.source_texts
             where organization_id = ${organizationId} and hash = any(${open}::text[]) order by hash for key share
          ) select hash, false as aged from added union all select hash, aged from held`,
    );
    const aged = found.filter((each) => each.aged).map(({ hash }) => hash);
    if (aged.length > 0)
      await query(
        em,
        sql`update catalog.source_texts set used_at = now() where organization_id = ${organizationId} and hash = any(${aged}::text[])`,
      );
    // A concurrent transaction inserted or deleted the remaining texts. The next statement sees the result.
    const known = new Set(found.map(({ hash }) => hash));
    open = open.filter((hash) => !known.has(hash));
  }
}

/** The sources that an earlier job read for a product; undefined if it stored none. */
export async function readEvidence(
  { em, organizationId }: Scope,
  { evidenceJobId }: Job,
  productId: string,
): Promise<ReadSource[] | undefined> {
  if (!evidenceJobId) return undefined;
  const rows = await query(
    em,
    sql<ReadSource>`with read as (
            select s.place, s.kind, s.url, s.title, s.hash, t.text
              from catalog.item_sources s join catalog.source_texts t on t.organization_id = s.organization_id and t.hash = s.hash
             where s.job_id = ${evidenceJobId} and s.product_id = ${productId} and s.organization_id = ${organizationId}
             order by s.place limit 200
          ), fitted as (select catalog.fit_texts(array_agg(text order by place), ${MAX_EVIDENCE}) as texts from read)
          select kind, url, title, hash as "contentHash", texts[(row_number() over (order by place))::int] as text
            from read cross join fitted order by place`,
  );
  return rows.length > 0 ? fitSources(rows).map((row, index) => ({ ...row, id: `s${index + 1}` })) : undefined;
}

interface EvidenceLimits {
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
