import { query, queryPrepared, sql } from '../../../platform/database/index.ts';
import { fitSources } from '../../../platform/model/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { truncate } from '../../../schema/text.ts';
import type { Job } from '../jobs/entity.ts';
import type { ReadSource } from './sources.ts';

/** Characters of one stored text, and of the texts that an item reads. */
const [MAX_TEXT_LENGTH, MAX_EVIDENCE] = [100_000, 1_000_000];

/**
 * Stores the texts of sources, once per organization, for reruns. Locks them until the commit, so that concurrent retention
 * (`evidence-retention.ts`) cannot delete them.
 */
export async function storeTexts({ em, organizationId }: Scope, sources: readonly ReadSource[]): Promise<void> {
  const texts = new Map(sources.map(({ contentHash, text }) => [contentHash, truncate(text, MAX_TEXT_LENGTH)]));
  for (let open = [...texts.keys()]; open.length > 0; ) {
    // A fixed order prevents deadlocks between items that share texts.
    open.sort();
    const written = open.map((hash) => texts.get(hash)!);
    const kept = await queryPrepared(
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
