import { moveCredits } from '../../../platform/credits/index.ts';
import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';

/** Refunds charged items and returns the total amount. */
export async function refundItems(scope: Scope, itemIds: string[]): Promise<number> {
  const references = itemIds.map((id) => `item:${id}`);
  const entries = await query(
    scope.em,
    sql<{ amount: string; reference: string }>`select amount, reference from identity.credit_entries
       where organization_id = ${scope.organizationId} and reference = any(${references})`,
  );
  for (const { amount, reference } of entries) {
    await moveCredits(scope, { amount: -Number(amount), reason: 'failed item', reference: `refund:${reference}` });
  }
  return entries.reduce((sum, { amount }) => sum - Number(amount), 0);
}
