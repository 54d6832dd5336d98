import { query, sql } from '../../common/database.ts';
import type { Scope } from '../../common/scope.ts';
import type { Job } from '../jobs/entity.ts';
import type { JobItem } from '../jobs/item-entity.ts';
import type { ReadSource } from './sources.ts';

const MAX_TEXT_LENGTH = 100_000;

/** Stores the sources of an item for reruns. Texts are deduplicated per organization; `evidence-retention.ts` deletes old ones. */
export async function storeSources({ em, organizationId }: Scope, item: JobItem, sources: readonly ReadSource[]): Promise<void> {
  if (sources.length === 0) return;
  const texts = new Map(sources.map(({ contentHash, text }) => [contentHash, text.slice(0, MAX_TEXT_LENGTH)]));
  await storeTexts({ em, organizationId }, texts);
  const rows = sources.map(({ kind, url, title, contentHash }) => ({ kind, url, title, hash: contentHash }));
  await query(
    em,
    sql`insert into catalog.item_sources (item_id, place, organization_id, job_id, product_id, kind, url, title, hash)
        select ${item.id}, row_number() over (), ${organizationId}, ${item.jobId}, ${item.productId}, kind, url, title, hash
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as read (kind text, url text, title text, hash text)`,
  );
}

/** Stores texts by hash and locks them, so that concurrent retention cannot delete them before the commit. */
async function storeTexts({ em, organizationId }: Pick<Scope, 'em' | 'organizationId'>, texts: Map<string, string>): Promise<void> {
  for (let open = [...texts.keys()]; open.length > 0; ) {
    // A fixed order prevents deadlocks between items that share texts.
    open.sort();
    const written = open.map((hash) => texts.get(hash)!);
    const kept = await query(
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
    const aged = kept.filter((each) => each.aged).map(({ hash }) => hash);
    if (aged.length > 0)
      await query(
        em,
        sql`update catalog.source_texts set used_at = now() where organization_id = ${organizationId} and hash = any(${aged}::text[])`,
      );
    // A concurrent transaction inserted or deleted the remaining texts. The next statement sees the result.
    const known = new Set(kept.map(({ hash }) => hash));
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
    sql<ReadSource>`select s.kind, s.url, s.title, s.hash as "contentHash", t.text
          from catalog.item_sources s join catalog.source_texts t on t.organization_id = s.organization_id and t.hash = s.hash
         where s.job_id = ${evidenceJobId} and s.product_id = ${productId} and s.organization_id = ${organizationId}
         order by s.place limit 200`,
  );
  return rows.length > 0 ? rows.map((row, index) => ({ ...row, id: `s${index + 1}` })) : undefined;
}
