import { clock, isId, lockName, query, readRows, sql } from '../../../platform/database/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { ProductView, type ProductViewInput } from './entity.ts';

/** Views of one user, and shared views of an organization. */
export const [MAX_OWN, MAX_SHARED] = [100, 200];

/** The views of the caller and those that others share, by name. */
export const listViews = (scope: RequestScope): Promise<ProductView[]> =>
  readRows(
    scope,
    ProductView,
    {
      matching: (bind) => `(r.is_shared or r.owner_id = ${bind(scope.caller.userId)}::uuid)`,
      orderBy: { name: 'asc', id: 'asc' },
      isPrepared: true,
    },
    { limit: MAX_OWN + MAX_SHARED, offset: 0 },
  );

/** Saves a view of the caller, and replaces the one with the same name. Throws `UNPROCESSABLE` when there are too many. */
export function saveView(scope: RequestScope, input: ProductViewInput): Promise<ProductView> {
  const ownerId = scope.caller.userId;
  const content = { ...input, name: input.name.trim(), savedAt: clock.now() };
  return scope.write(async (inner) => {
    const { em, organizationId } = inner;
    await lockName(em, `product views of ${organizationId}`);
    const [known] = await query(
      em,
      sql<{ id: string; isShared: boolean }>`select id, is_shared as "isShared" from catalog.product_views
           where organization_id = ${organizationId} and owner_id = ${ownerId} and lower(name) = lower(${content.name})`,
    );
    if (!known && (await em.count(ProductView, { ownerId })) >= MAX_OWN)
      throw fail('UNPROCESSABLE', `A user has at most ${MAX_OWN} views of the list of products.`);
    if (content.isShared && !known?.isShared && (await em.count(ProductView, { isShared: true })) >= MAX_SHARED)
      throw fail('UNPROCESSABLE', `An organization has at most ${MAX_SHARED} shared views.`);
    if (!known) return em.create(ProductView, { ...content, ownerId, organizationId });
    return em.assign(await em.findOneOrFail(ProductView, known.id), content);
  });
}

/** Deletes a view of the caller. Admins also delete shared ones of others. Throws `NOT_FOUND` for other views. */
export async function deleteView(scope: RequestScope, id: string) {
  const isAdmin = scope.organization.role !== 'member';
  const own = { ownerId: scope.caller.userId };
  const where = { id, $or: isAdmin ? [own, { isShared: true }] : [own] };
  if (!isId(id) || (await scope.em.nativeDelete(ProductView, where)) === 0) throw fail('NOT_FOUND', 'View not found');
  return { id, deleted: true };
}
