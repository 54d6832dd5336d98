import { query, sql } from '../../../platform/database/index.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { ImportData } from './data.ts';
import { ImportItem } from './entity.ts';
import { findImportItem } from './service.ts';
import type { ImportItemChange } from './types.ts';

/**
 * Changes an import item before it becomes a product. A failed item becomes pending again. Throws `NOT_FOUND` for an unknown item
 * and `UNPROCESSABLE` for an imported one.
 */
export async function updateImportItem(scope: Scope, id: string, change: ImportItemChange): Promise<ImportItem> {
  const known = await findImportItem(scope, id);
  return transaction(scope, async ({ em }) => {
    // Finalizing locks the job as well, so an item cannot change while it is being imported.
    await query(em, sql`select id from catalog.jobs where id = ${known.jobId} for update`);
    const item = await em.findOneOrFail(ImportItem, id, { refresh: true });
    if (item.status === 'completed') throw fail('UNPROCESSABLE', 'The item is already imported. Change its product instead.');
    const sent = Object.entries(change).filter(([, value]) => value !== undefined);
    const data: ImportData = { ...item.data, ...Object.fromEntries(sent) };
    Object.assign(item, { data, name: data.name, sku: data.sku, status: 'pending', errorMessage: null });
    return item;
  });
}
