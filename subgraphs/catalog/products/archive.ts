import { canonicalId, query, requireAll, sql } from '../../../platform/database/index.ts';
import { type RequestScope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Product } from './entity.ts';
import { findProductBy, withDeadlockRetry } from './service.ts';

/**
 * Archives products, or brings them back: all of them or none. Returns the number of products that changed. Throws `NOT_FOUND` with
 * `missingIds`.
 */
export function setArchived(scope: RequestScope, ids: readonly string[], archived: boolean): Promise<number> {
  const change = () =>
    transaction(scope, async ({ em, organizationId }) => {
      const locked = await requireAll(ids.map(canonicalId), 'Product', (known) =>
        query(
          em,
          sql<{ id: string; archived: boolean }>`select id, archived from catalog.products
                where organization_id = ${organizationId} and id = any(${known}::uuid[]) order by id for update`,
        ),
      );
      const changed = locked.filter((product) => product.archived !== archived).map(({ id }) => id);
      if (changed.length > 0)
        await query(
          em,
          sql`update catalog.products set archived = ${archived}, updated_at = clock_timestamp() where id = any(${changed}::uuid[])`,
        );
      return changed.length;
    });
  return withDeadlockRetry(change);
}

/** Like `findProductBy`. An agent finds no archived product. */
export async function findForCaller(scope: RequestScope, keys: Parameters<typeof findProductBy>[1]): Promise<Product> {
  const product = await findProductBy(scope, keys);
  if (product.archived && scope.caller.isAgent) throw fail('NOT_FOUND', 'Product not found');
  return product;
}
