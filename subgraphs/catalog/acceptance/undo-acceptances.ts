import { Int, ObjectType } from 'type-graphql';
import { query, readRows, requireAll, sql } from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';
import { type RequestScope, transaction } from '../../../platform/scope/index.ts';
import { AcceptanceRule } from './entity.ts';

/** Values of one transaction, which locks their products. */
const MAX_UNDONE = 1_000;

@ObjectType({ description: 'Values that went back into the review queue.' })
export class UndoneAcceptances extends output({
  undone: field(Int, `The number of values, at most ${MAX_UNDONE}.`),
  hasMore: field(Boolean, 'Whether more values may remain. Repeat the call until it is false.'),
}) {}

/**
 * Puts values that rules accepted back into the review queue, in one transaction. Values that a person or a later job changed since stay as they
 * are. Throws `NOT_FOUND` with `missingIds` for unknown rules.
 */
export async function undoAcceptances(scope: RequestScope, ruleIds: string[], since: Date | null): Promise<UndoneAcceptances> {
  await requireAll(ruleIds, 'Rule', (ids) => readRows(scope, AcceptanceRule, { columns: ['id'], where: { id: ids } }));
  return transaction(scope, async ({ em, organizationId }) => {
    const isHeld = () => sql`r.organization_id = ${organizationId} and r.rule_id = any(${ruleIds}::uuid[])
                 and (${since}::timestamptz is null or r.reviewed_at > ${since}::timestamptz)
                 and p.id = r.product_id and p.organization_id = r.organization_id
                 and p.provenance -> r.slug ->> 'itemId' = r.item_id::text and p.provenance -> r.slug ? 'acceptedBy'`;
    const [result] = await query(
      em,
      sql<UndoneAcceptances>`with chosen as materialized (
              select r.item_id, r.slug from catalog.proposals r, catalog.products p where ${isHeld()} limit ${MAX_UNDONE}::int
            ), held as materialized (
              -- Checks the values again after it has waited for the locks.
              select r.item_id, r.slug, r.product_id
                from chosen c join catalog.proposals r on r.item_id = c.item_id and r.slug = c.slug, catalog.products p
               where ${isHeld()} order by p.id for update of p
            ), cleared as (
              update catalog.products p set updated_at = now(), provenance = p.provenance || (
                       select jsonb_object_agg(s, (p.provenance -> s) - 'acceptedBy') from unnest(h.slugs) s)
                from (select product_id, array_agg(slug) as slugs from held group by product_id) h
               where p.id = h.product_id and p.organization_id = ${organizationId}
            ), opened as (
              update catalog.proposals r set verdict = null, reviewed_at = null, rule_id = null from held h
               where r.item_id = h.item_id and r.slug = h.slug and r.organization_id = ${organizationId} and r.rule_id is not null returning 1
            ), marked as (
              update catalog.acceptance_rules set undone_at = now()
               where organization_id = ${organizationId} and id = any(${ruleIds}::uuid[])
                 and (select count(*) from chosen) < ${MAX_UNDONE}::int
            )
            select (select count(*) from opened)::int as undone, (select count(*) from chosen) = ${MAX_UNDONE}::int as "hasMore"`,
    );
    return result!;
  });
}
