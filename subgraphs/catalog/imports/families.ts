import { LockMode } from '@mikro-orm/postgresql';
import type { Scope } from '../../../platform/scope/index.ts';
import { Product } from '../products/entity.ts';
import type { ImportRow } from './create-products.ts';

/** Locked parents stay parents until their new variants are written. */
const LOCKED = { lockMode: LockMode.PESSIMISTIC_READ, orderBy: { id: 'asc' }, refresh: true } as const;

/** Products of imported families that are still parents, by item id. They are locked. */
export async function importedFamilies({ em }: Scope, rows: readonly ImportRow[]): Promise<Map<string, string>> {
  const imported = rows.flatMap(({ id, type, productId }) => (type === 'family' && productId ? [[id, productId] as const] : []));
  const ids = imported.map(([, productId]) => productId);
  const found = await em.find(Product, { id: { $in: ids }, isParent: true }, { fields: ['id'], ...LOCKED });
  const known = new Set(found.map(({ id }) => id));
  return new Map(imported.filter(([, productId]) => known.has(productId)));
}

/** Parents in the catalog with the SKU and name of a family, ignoring the case of the name, by item id. They are locked. */
export async function existingFamilies({ em }: Scope, rows: readonly ImportRow[]): Promise<Map<string, string>> {
  const families = rows.filter(({ type, data }) => type === 'family' && data.sku !== '');
  if (families.length === 0) return new Map();
  const where = { sku: { $in: families.map(({ data }) => data.sku) }, isParent: true };
  const parents = await em.find(Product, where, { fields: ['sku', 'name'], ...LOCKED });
  const bySku = new Map(parents.map((parent) => [parent.sku, parent]));
  return new Map(
    families.flatMap(({ id, data }) => {
      const parent = bySku.get(data.sku);
      return parent && sameName(parent.name, data.name) ? [[id, parent.id] as const] : [];
    }),
  );
}

const sameName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();
