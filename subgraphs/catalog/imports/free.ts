import type { GraphQLError } from 'graphql';
import { codeOf } from '../../../schema/errors.ts';
import type { Scope } from '../../common/scope.ts';
import { Product } from '../products/entity.ts';
import { createProducts } from '../products/service.ts';
import type { NewProduct } from '../products/types.ts';
import type { ImportItem } from './entity.ts';

/** What is imported, as far as that needs to know it. */
export type Row = Pick<ImportItem, 'id' | 'parentItemId' | 'type' | 'status' | 'data' | 'productId'>;

export interface Created {
  made: [Row, productId: string][];
  /** Somebody else took their SKU while they were written. */
  lost: Row[];
}

/** Create the products whose SKU is still free when they are written. */
export async function createFree(scope: Scope, ready: [Row, NewProduct][]): Promise<Created> {
  if (ready.length === 0) return { made: [], lost: [] };
  try {
    const products = await createProducts(
      scope,
      ready.map(([, product]) => product),
    );
    return { made: ready.map(([row], at) => [row, products[at]!.id]), lost: [] };
  } catch (error) {
    if (codeOf(error as GraphQLError) !== 'CONFLICT') throw error;
    const taken = await takenSkus(
      scope,
      ready.map(([row]) => row),
    );
    const free = ready.filter(([{ data }]) => !taken.has(data.sku));
    if (free.length === ready.length) throw error;
    const lost = ready.flatMap(([row]) => (taken.has(row.data.sku) ? [row] : []));
    const others = await createFree(scope, free);
    return { made: others.made, lost: [...lost, ...others.lost] };
  }
}

/** Which of the SKUs products have already. */
export async function takenSkus({ em }: Scope, rows: Row[]): Promise<Set<string>> {
  const found = await em.find(Product, { sku: { $in: rows.map(({ data }) => data.sku) } }, { fields: ['sku'] });
  return new Set(found.map(({ sku }) => sku));
}
