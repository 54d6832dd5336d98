import { queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Decided } from '../acceptance/accept-values.ts';
import type { AttributeValues, Provenances } from '../attributes/attribute-content.ts';
import type { Job, JobItem } from '../jobs/entity.ts';

/** The values that an item is about to write to its product. */
export interface Proposal {
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
