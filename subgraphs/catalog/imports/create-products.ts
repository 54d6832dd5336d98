import type { GraphQLError } from 'graphql';
import type { Scope } from '../../../platform/scope/index.ts';
import { codeOf } from '../../../schema/errors.ts';
import { Product } from '../products/entity.ts';
import { importProducts } from '../products/service.ts';
import type { NewProduct } from '../products/types.ts';
import type { ImportItem } from './entity.ts';

/** The part of an item that the import needs. */
export type ImportRow = Pick<ImportItem, 'id' | 'parentItemId' | 'type' | 'status' | 'data' | 'productId'>;

export interface CreationResult {
  created: [ImportRow, productId: string][];
  /** Items whose SKU was taken by a concurrent request. */
  conflicting: ImportRow[];
}

/** Creates the products whose SKU is not taken at the time of the write. */
export async function createAvailable(scope: Scope, ready: [ImportRow, NewProduct][]): Promise<CreationResult> {
  if (ready.length === 0) return { created: [], conflicting: [] };
  try {
    const products = await importProducts(
      scope,
      ready.map(([, product]) => product),
    );
    return { created: ready.map(([row], at) => [row, products[at]!.id]), conflicting: [] };
  } catch (error) {
    if (codeOf(error as GraphQLError) !== 'CONFLICT') throw error;
    const taken = await takenSkus(
      scope,
      ready.map(([row]) => row),
    );
    const free = ready.filter(([{ data }]) => !taken.has(data.sku));
    if (free.length === ready.length) throw error;
    const conflicting = ready.flatMap(([row]) => (taken.has(row.data.sku) ? [row] : []));
    const others = await createAvailable(scope, free);
    return { created: others.created, conflicting: [...conflicting, ...others.conflicting] };
  }
}

/** SKUs of the items that existing products have. */
export async function takenSkus({ em }: Scope, rows: ImportRow[]): Promise<Set<string>> {
  const found = await em.find(Product, { sku: { $in: rows.map(({ data }) => data.sku) } }, { fields: ['sku'] });
  return new Set(found.map(({ sku }) => sku));
}
