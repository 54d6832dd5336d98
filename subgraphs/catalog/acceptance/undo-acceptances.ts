import { query, readRows, requireAll, sql } from '../../../platform/database/index.ts';
import { type RequestScope, transaction } from '../../../platform/scope/index.ts';
import { AcceptanceRule } from './entity.ts';

/**
 * Puts values that rules accepted back into the review queue, in one transaction. Values that a person or a later job changed since stay as they
 * are. Returns the number of values. Throws `NOT_FOUND` with `missingIds` for unknown rules.
 */
export async function undoAcceptances(scope: RequestScope, ruleIds: string[], since: Date | null): Promise<number> {
  await requireAll(ruleIds, 'Rule', (ids) => readRows(scope, AcceptanceRule, { columns: ['id'], where: { id: ids } }));
  return transaction(scope, async ({ em, organizationId }) => {
    const [result] = await query(
      em,
      sql<{ undone: number }>`with held as materialized (
              select r.item_id, r.slug, r.product_id
                from catalog.products p join catalog.proposals r on r.product_id = p.id and r.organization_id = p.organization_id
               where p.organization_id = ${organizationId} and r.rule_id = any(${ruleIds}::uuid[])
                 and (${since}::timestamptz is null or r.reviewed_at > ${since}::timestamptz)
                 and p.provenance -> r.slug ->> 'itemId' = r.item_id::text and p.provenance -> r.slug ? 'acceptedBy'
               order by p.id for update of p
            ), cleared as (
              update catalog.products p set updated_at = now(), provenance = p.provenance || (
                       select jsonb_object_agg(s, (p.provenance -> s) - 'acceptedBy') from unnest(h.slugs) s)
                from (select product_id, array_agg(slug) as slugs from held group by product_id) h
               where p.id = h.product_id and p.organization_id = ${organizationId}
            ), opened as (
              update catalog.proposals r set verdict = null, reviewed_at = null, rule_id = null from held h
               where r.item_id = h.item_id and r.slug = h.slug and r.organization_id = ${organizationId} and r.rule_id is not null returning 1
            ), marked as (
              update catalog.acceptance_rules set undone_at = now() where organization_id = ${organizationId} and id = any(${ruleIds}::uuid[])
            )
            select count(*)::int as undone from opened`,
    );
    return result!.undone;
  });
}
