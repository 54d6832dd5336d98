import { query, sql } from '../../../platform/database/index.ts';
import { post, type VariantsRef } from '../../../platform/queues/index.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';

/** Number of variants that one transaction locks. */
const BATCH = 500;

/**
 * Changes `updatedAt` of the next variants of a renamed product, because their `parentName` changed, and posts the message for the rest.
 * Not in the transaction of the name, which would hold the locks of all variants, in another order than their own changes.
 */
export async function touchVariants(scope: Scope, { parentId, after }: Pick<VariantsRef, 'parentId' | 'after'>): Promise<void> {
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    const touched = await query(
      em,
      sql<{ id: string }>`
        with next as (
          select id from catalog.products
           where organization_id = ${organizationId} and parent_id = ${parentId} and (${after}::uuid is null or id > ${after}::uuid)
           order by id limit ${BATCH}::int for update),
        touched as (
          update catalog.products p set updated_at = greatest(clock_timestamp(), p.updated_at) from next where p.id = next.id returning p.id)
        select id from touched order by id desc`,
    );
    const [last] = touched;
    if (last && touched.length === BATCH) await postTouches(inner, [parentId], last.id);
  });
}

/**
 * Posts the messages to touch the variants of products, except where one that begins with the first variant is waiting. So a product that is
 * renamed many times has one message. The lock keeps that one from its handler until this transaction commits.
 */
export async function postTouches(scope: Scope, parentIds: readonly string[], after: string | null = null): Promise<void> {
  const { em, organizationId } = scope;
  const waiting = await query(
    em,
    sql<{ parentId: string }>`select payload ->> 'parentId' as "parentId" from identity.outbox
         where topic = 'variants.touch' and attempts = 0 and payload ->> 'parentId' = any(${parentIds}::text[]) and payload ->> 'after' is null
         for update skip locked`,
  );
  const known = new Set(waiting.map(({ parentId }) => parentId));
  const messages = parentIds.filter((id) => !known.has(id)).map((parentId) => ({ organizationId, parentId, after }));
  if (messages.length > 0) await post(scope, 'variants.touch', ...messages);
}
