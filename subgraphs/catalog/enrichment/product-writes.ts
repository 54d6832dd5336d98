import { isDeepStrictEqual } from 'node:util';
import { query, queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { type Decided, readAcceptance } from '../acceptance/accept-values.ts';
import type { AttributeValues, Provenance, Provenances } from '../attributes/attribute-content.ts';
import type { Job, JobItem } from '../jobs/entity.ts';
import type { FoundValues } from './ask-model.ts';
import { type ReadSource, storeTexts } from './sources.ts';

/** The result of an item for its product. */
interface Enrichment extends Candidate {
  job: Pick<Job, 'id' | 'modelType' | 'autoAccept' | 'attributeSetId'>;
  /** All values that the item reports. */
  found: AttributeValues;
  sources: readonly ReadSource[];
  images: FoundValues['images'];
}

/** Merges the values of items into their products, and writes their proposals, sources and histories. */
export async function writeEnrichments(scope: Scope, enrichments: readonly Enrichment[]): Promise<void> {
  const { allowed, locked } = await lockWritable(scope, enrichments);
  const { job } = enrichments[0]!;
  const accept = await readAcceptance(scope, job, [...new Set(allowed.flatMap((values) => Object.keys(values)))]);
  const decisionsOn = (itemId: string, values: AttributeValues, provenance: Provenances): Record<string, Decided> =>
    Object.fromEntries(
      Object.keys(values).flatMap((slug) => {
        const { score } = provenance[slug]!;
        // Values of variants have no score, because no model read them.
        const decision = score === undefined ? undefined : accept({ itemId, slug, score });
        return decision ? [[slug, decision]] : [];
      }),
    );
  const writes = enrichments.map((each, at): Write => {
    const values = allowed[at]!;
    const isKept = (slug: string) => Object.hasOwn(values, slug);
    const isRefused = (slug: string) => Object.hasOwn(each.values, slug) && !isKept(slug);
    const provenance = pick(each.provenance, isKept);
    const decided = decisionsOn(each.item.id, values, provenance);
    return {
      item: each.item,
      isLocked: locked.has(each.item.productId!),
      values,
      provenance,
      decided,
      history: pick(each.found, (slug) => !isRefused(slug)),
      sources: each.sources,
    };
  });
  const accepted = await propose(
    scope,
    { jobId: job.id, tier: job.modelType },
    writes.filter(({ isLocked }) => isLocked),
  );
  const byItem = new Map(writes.map((write) => [write.item.id, write]));
  for (const { itemId, slug } of accepted) {
    const { provenance, decided } = byItem.get(itemId)!;
    const { isAudit: _, ...rule } = decided[slug]!;
    provenance[slug] = { ...provenance[slug]!, acceptedBy: rule };
  }
  await storeTexts(
    scope,
    enrichments.flatMap(({ sources }) => sources),
  );
  await writeValues(scope, writes);
  for (const { item, images } of enrichments) if (locked.has(item.productId!)) await storeImages(scope, item.productId!, images);
}

const pick = <V>(values: Record<string, V>, isKept: (slug: string) => boolean): Record<string, V> =>
  Object.fromEntries(Object.entries(values).filter(([slug]) => isKept(slug)));

interface Write extends Proposal {
  item: JobItem;
  /** False if the product was deleted. One that is restored meanwhile is left as it is: this transaction does not hold its lock. */
  isLocked: boolean;
  history: AttributeValues;
  provenance: Provenances;
  sources: readonly ReadSource[];
}

function writeValues({ em, organizationId }: Scope, writes: readonly Write[]) {
  const given = writes.map(({ item: { id, productId }, isLocked, values, provenance, history, sources }) => ({
    ...{ id, productId, isLocked, values, provenance, history },
    sources: sources.map(({ kind, url, title, contentHash }) => ({ kind, url, title, hash: contentHash })),
  }));
  return queryPrepared(
    em,
    sql`with given as materialized (
          select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
            as g (id uuid, "productId" uuid, "isLocked" boolean, "values" jsonb, provenance jsonb, history jsonb, sources jsonb)
        ), merged as (
          update catalog.products p set attributes = p.attributes || g."values", provenance = p.provenance || g.provenance,
                 enriched = true, updated_at = now()
            from given g where p.id = g."productId" and g."isLocked" and p.organization_id = ${organizationId}
        ), sourced as (
          insert into catalog.item_sources (item_id, place, organization_id, job_id, product_id, kind, url, title, hash)
          select g.id, s.place, ${organizationId}, ${writes[0]!.item.jobId}, g."productId", s.kind, s.url, s.title, s.hash
            from given g, rows from (jsonb_to_recordset(g.sources) as (kind text, url text, title text, hash text))
              with ordinality as s (kind, url, title, hash, place)
        )
        insert into catalog.enrichment_history (id, organization_id, product_id, job_item_id, attributes, provenance)
        select gen_random_uuid(), ${organizationId}, g."productId", g.id, g.history, g.provenance from given g`,
  );
}

/** Values that an item found for its product. */
interface Candidate {
  item: JobItem;
  overwrite: Job['overwrite'];
  values: AttributeValues;
  provenance: Provenances;
}

interface Current {
  id: string;
  attributes: AttributeValues;
  provenance: Provenances;
}

interface Writable {
  /** The values that items may write to their products, in the same order. */
  allowed: AttributeValues[];
  /** The ids of the products that exist. */
  locked: ReadonlyMap<string, unknown>;
}

/** Selects the values that items may write to their products. Locks the products until the commit, so that the selection stays correct. */
async function lockWritable({ em, organizationId }: Scope, candidates: readonly Candidate[]): Promise<Writable> {
  const wanted = candidates.map(({ item, values }) => ({ id: item.productId, slugs: Object.keys(values) }));
  const rows = await queryPrepared(
    em,
    sql<Current>`select p.id,
               coalesce((select jsonb_object_agg(s, p.attributes -> s) from unnest(g.slugs) s where p.attributes ? s), '{}') as attributes,
               coalesce((select jsonb_object_agg(s, p.provenance -> s) from unnest(g.slugs) s where p.provenance ? s), '{}') as provenance
          from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as g (id uuid, slugs text[])
          join catalog.products p on p.id = g.id and p.organization_id = ${organizationId} order by p.id for update of p`,
  );
  const locked = new Map(rows.map((row) => [row.id, row]));
  return { allowed: candidates.map((each) => writable(each, locked.get(each.item.productId!))), locked };
}

function writable({ overwrite, ...found }: Candidate, current: Current | undefined): AttributeValues {
  if (!current) return found.values;
  const isWritable = (slug: string) => {
    if ((current.attributes[slug]?.value ?? null) === null) return true;
    const origin = current.provenance[slug];
    if (overwrite === 'empty') return false;
    if (!isByPerson(origin)) return true;
    // A job that only confirms a value leaves its human origin in place.
    if (isDeepStrictEqual(current.attributes[slug]?.value, found.values[slug]?.value)) return false;
    return overwrite === 'all' && hasEvidence(found.provenance[slug]!);
  };
  return Object.fromEntries(Object.entries(found.values).filter(([slug]) => isWritable(slug)));
}

/** Whether a person wrote or accepted a value. Values written by callers have no provenance. */
const isByPerson = (origin: Provenance | undefined) => !origin || origin.reviewedAt !== undefined || origin.sourceKind === 'review';

const hasEvidence = ({ confidence, evidence }: Provenance) =>
  confidence > 0 && evidence !== 'existing' && evidence !== 'unsupported';

/** Stores the URL and metadata of images, not their bytes. */
export async function storeImages({ em, organizationId }: Scope, productId: string, images: FoundValues['images']): Promise<void> {
  for (const { url, sourceUrl, alt, mime, bytes, contentHash } of images) {
    await query(
      em,
      sql`insert into catalog.product_images (id, organization_id, product_id, url, source_url, alt, mime, bytes, content_hash)
          select gen_random_uuid(), organization_id, id, ${url}, ${sourceUrl}, ${alt}, ${mime}, ${bytes}::int, ${contentHash}
            from catalog.products where id = ${productId} and organization_id = ${organizationId}
          on conflict (product_id, content_hash) do nothing`,
    );
  }
}

/** The values that an item is about to write to its product. */
interface Proposal {
  item: JobItem;
  values: AttributeValues;
  provenance: Provenances;
  /** The decisions of rules by slug. */
  decided: Record<string, Decided>;
}

/**
 * Records the values that items of a job are about to write, and those that they replace. A replaced value that nobody has reviewed
 * leaves the queue, so that a rejection restores the value before both. The caller holds the locks of the products.
 *
 * Returns the values that rules accepted. A rule never accepts the replacement of a value that a person wrote or accepted.
 */
export async function propose(
  { em, organizationId }: Scope,
  { jobId, tier }: { jobId: string; tier: Job['modelType'] },
  proposals: readonly Proposal[],
): Promise<{ itemId: string; slug: string }[]> {
  const given = proposals.map(({ item: { id, productId }, values, provenance, decided }) => ({
    ...{ id, productId, values, provenance, decided },
  }));
  const written = await queryPrepared(
    em,
    sql<{ itemId: string | null; slug: string }>`with written as materialized (
          select g.id as item_id, p.id as product_id, p.organization_id, catalog.name_key(p.category) as category_key,
                 v.key as slug, v.value as proposed, coalesce((g.provenance -> v.key ->> 'confidence')::float8, 0) as confidence,
                 coalesce((g.provenance -> v.key ->> 'score')::smallint, 0) as score, g.decided -> v.key as decided,
                 p.attributes -> v.key as base, p.provenance -> v.key as base_provenance
            from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g (id uuid, "productId" uuid, "values" jsonb, provenance jsonb, decided jsonb)
            join catalog.products p on p.id = g."productId" and p.organization_id = ${organizationId}
           cross join lateral jsonb_each(g."values") v
        ), replaced as (
          -- Runs after the insertion, whose trigger locks the counters of all these attributes in order. The ids select an index.
          delete from catalog.proposals r
           where r.product_id = any(${given.map(({ productId }) => productId)}::uuid[]) and r.verdict is null
             and exists (select 1 from written w where w.product_id = r.product_id and w.slug = r.slug)
        ), based as (
          select w.*, case when r.slug is null then w.base else r.base end as first_base,
                 case when r.slug is null then w.base_provenance else r.base_provenance end as first_provenance
          from written w
          left join lateral (
            -- A value that was changed after a job wrote it is itself restored.
            select * from catalog.proposals r
             where r.product_id = w.product_id and r.slug = w.slug and r.verdict is null and r.proposed = w.base
             order by r.item_id limit 1
          ) r on true
        ), decisions as (
          select *, case when is_free and not (decided ->> 'isAudit')::boolean then (decided ->> 'ruleId')::uuid end as rule_id,
                 case when is_free and (decided ->> 'isAudit')::boolean then (decided ->> 'ruleId')::uuid end as audit_rule_id from (
            -- Neither over a value of a person, nor for one that a person has rejected.
            select *, (coalesce(jsonb_typeof(first_base -> 'value'), 'null') = 'null' or not catalog.is_accepted(first_provenance))
                      and not exists (select from catalog.proposals x where x.product_id = based.product_id and x.slug = based.slug
                                         and x.verdict = 'reject' and x.proposed -> 'value' = based.proposed -> 'value') as is_free
              from based) b
        )
        insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, tier, score, proposed, base, base_provenance,
                                       category_key, verdict, reviewed_at, rule_id, audit_rule_id)
        select item_id, slug, organization_id, ${jobId}, product_id, confidence, ${tier}, score, proposed, first_base, first_provenance, category_key,
               case when rule_id is not null then 'accept' end, case when rule_id is not null then now() end, rule_id, audit_rule_id
          from decisions
        returning case when rule_id is not null then item_id end as "itemId", slug`,
  );
  return written.flatMap(({ itemId, slug }) => (itemId === null ? [] : [{ itemId, slug }]));
}
