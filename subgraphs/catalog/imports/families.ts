import { LockMode } from '@mikro-orm/postgresql';
import type { Scope } from '../../common/scope.ts';
import { Product } from '../products/entity.ts';
import type { Row } from './free.ts';

/** The families that became products which are still parents, by the id of their item. */
export async function importedFamilies({ em }: Scope, rows: readonly Row[]): Promise<Map<string, string>> {
  const imported = rows.flatMap(({ id, type, productId }) => (type === 'family' && productId ? [[id, productId] as const] : []));
  const ids = imported.map(([, productId]) => productId);
  const found = await em.find(Product, { id: { $in: ids }, isParent: true }, { fields: ['id'] });
  const known = new Set(found.map(({ id }) => id));
  return new Map(imported.filter(([, productId]) => known.has(productId)));
}

/**
 * The parents in the catalog that families of an import mean: the same SKU, and the same name in any case. By the id of the item;
 * locked, so that they stay parents until their new variants are written.
 */
export async function existingFamilies({ em }: Scope, rows: readonly Row[]): Promise<Map<string, string>> {
  const families = rows.filter(({ type, data }) => type === 'family' && data.sku !== '');
  if (families.length === 0) return new Map();
  const lock = { lockMode: LockMode.PESSIMISTIC_READ, orderBy: { id: 'asc' }, refresh: true } as const;
  const where = { sku: { $in: families.map(({ data }) => data.sku) }, isParent: true };
  const parents = await em.find(Product, where, { fields: ['sku', 'name'], ...lock });
  const bySku = new Map(parents.map((parent) => [parent.sku, parent]));
  return new Map(
    families.flatMap(({ id, data }) => {
      const parent = bySku.get(data.sku);
      return parent && sameName(parent.name, data.name) ? [[id, parent.id] as const] : [];
    }),
  );
}

const sameName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();
