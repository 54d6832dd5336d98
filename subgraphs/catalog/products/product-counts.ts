import { columns, hidden, type StoredCount, Table, Tenant } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Product } from './entity.ts';
import type { ProductFilter } from './filter.ts';

/** Product counts that triggers maintain, so that a page of a large catalog needs no `count(*)`. */
@Table('catalog.product_counts')
@Tenant()
export class ProductCount extends columns({
  organizationId: hidden('uuid', { primary: true }),
  isParent: hidden('boolean', { primary: true }),
  enriched: hidden('boolean', { primary: true }),
  archived: hidden('boolean', { primary: true }),
  count: hidden('count'),
}) {}

export const productCounts = (filter: {
  archived: boolean;
  isParent?: boolean;
  enriched?: boolean;
}): StoredCount<ProductCount> => ({
  entity: ProductCount,
  sum: 'count',
  where: filter,
});

/** Part of a number that increases with each commit that changed products of the organization. Triggers maintain it. */
@Table('catalog.product_versions')
@Tenant()
export class ProductVersion extends columns({
  organizationId: hidden('uuid', { primary: true }),
  slot: hidden('smallint', { primary: true }),
  /** Counts changes of the columns that searches and the filters by name read. */
  listed: hidden('count'),
  /** Counts all changes. */
  changed: hidden('count'),
}) {}

const LISTED = new Set<string>([
  'ids',
  'brand',
  'category',
  'parentId',
  'archived',
  'categoryBelow',
  'words',
] satisfies (keyof ProductFilter)[]);

/** The orders that change only with the columns of `listed`. */
const LISTED_ORDERS = new Set<string>(['createdAt', 'sku', 'name', 'brand'] satisfies (keyof Product)[]);

type Version = Record<'listed' | 'changed', number>;

/** The number on which the total of a filtered list depends, and its order if there is one. */
export function versionOf(filter: ProductFilter, order?: string): keyof Version {
  const isListed = Object.entries(filter).every(([name, value]) => value == null || LISTED.has(name));
  const hasListedOrder = order === undefined || LISTED_ORDERS.has(order);
  return isListed && hasListedOrder ? 'listed' : 'changed';
}

const VERSION = {
  name: 'product version',
  text: `select coalesce(sum(listed), 0)::float as listed, coalesce(sum(changed), 0)::float as changed
           from catalog.product_versions where organization_id = $1`,
};

/** The numbers of a catalog. Read them before rows that are stored with them, so that a change between the two outdates the rows. */
export async function readVersion({ services, organizationId, signal, budget }: Scope): Promise<Version> {
  const { rows } = await services.statements.run<Version>({ ...VERSION, values: [organizationId] }, signal, budget);
  return rows[0]!;
}
