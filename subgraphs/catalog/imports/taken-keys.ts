import type { Scope } from '../../../platform/scope/index.ts';
import { Product } from '../products/entity.ts';
import type { ImportItem } from './entity.ts';
import type { KnownProduct } from './known-products.ts';
import type { ProductUpdate } from './update.ts';

type OpenItem = Pick<ImportItem, 'data'>;

/** The SKUs and external ids that products have. */
class TakenKeys {
  constructor(
    private readonly skus: Set<string>,
    private readonly externalIds: Set<string>,
  ) {}

  has({ data: { sku, externalId } }: OpenItem): boolean {
    return this.skus.has(sku) || (externalId != null && this.externalIds.has(externalId));
  }

  add({ data: { sku, externalId } }: OpenItem): void {
    this.skus.add(sku);
    if (externalId != null) this.externalIds.add(externalId);
  }

  /** Why an update cannot give its product another SKU or external id. */
  refusalOfUpdate(update: ProductUpdate | undefined, product: KnownProduct): string | undefined {
    if (!update) return undefined;
    const { sku, externalId } = update.texts;
    if (sku !== product.sku && this.skus.has(sku!)) return `A product with the SKU ${sku} already exists`;
    if (externalId !== product.externalId && externalId !== null && this.externalIds.has(externalId))
      return `A product with the external id ${externalId} already exists`;
    this.skus.add(sku!);
    if (externalId !== null) this.externalIds.add(externalId);
    return undefined;
  }

  refusalOf({ data: { sku, externalId } }: OpenItem): string {
    const isExternal = externalId != null && this.externalIds.has(externalId) && !this.skus.has(sku);
    return `A product with the ${isExternal ? `external id ${externalId}` : `SKU ${sku}`} already exists`;
  }
}

/** The keys of the items that existing products have. */
export async function takenKeys({ em }: Scope, rows: OpenItem[]): Promise<TakenKeys> {
  const skus = rows.map(({ data }) => data.sku);
  const externalIds = rows.flatMap(({ data }) => data.externalId ?? []);
  const found = await em.find(
    Product,
    { $or: [{ sku: { $in: skus } }, { externalId: { $in: externalIds } }] },
    { fields: ['sku', 'externalId'] },
  );
  return new TakenKeys(new Set(found.map(({ sku }) => sku)), new Set(found.flatMap(({ externalId }) => externalId ?? [])));
}
