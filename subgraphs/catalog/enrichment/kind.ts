import { readRows } from '../../common/rows.ts';
import type { Scope } from '../../common/scope.ts';
import { chooseAttributes } from '../attributes/service.ts';
import type { Job, JobItem } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/failure.ts';
import type { Kind } from '../jobs/kind.ts';
import { prices } from '../jobs/prices.ts';
import { Product } from '../products/entity.ts';
import { aggregateVariants } from './aggregate.ts';
import { applyEnrichment } from './apply.ts';
import { enrichProduct } from './enrich.ts';

const IS_PARENT = ['isParent'] as const;
/** What the record says of itself, and what it may be read from. */
const READ = [
  ...(['id', 'sku', 'name', 'manufacturer', 'mpn', 'brand', 'category', 'isParent'] as const),
  ...(['attributes', 'userProvidedRawDataSources'] as const),
];

/** Fill in the attributes of products: from their sources, or for a parent from its variants. */
export const productEnrichment: Kind = {
  concurrency: 20,

  async price(scope, job, item) {
    const [product] = await readRows(scope, Product, { columns: IS_PARENT, where: { id: item.productId! } });
    return prices[job.kind][job.modelType][product?.isParent ? 'parent' : 'product'];
  },

  async process(scope, job, item) {
    const product = await findProduct(scope, item);
    const attributes = await attributesOf(scope, job);
    const found = product.isParent
      ? await aggregateVariants(scope, product, attributes)
      : await enrichProduct(scope, job, product, attributes);
    return applyEnrichment({ job, item, product }, found);
  },
};

async function findProduct(scope: Scope, { productId }: JobItem): Promise<Product> {
  const [product] = await readRows(scope, Product, { columns: READ, where: { id: productId! } });
  if (!product) throw new ItemFailure('Product not found');
  return product;
}

async function attributesOf(scope: Scope, { attributeSetId, attributeIds }: Job) {
  const attributes = await chooseAttributes(scope, attributeSetId, attributeIds);
  if (attributes.length === 0) throw new ItemFailure('There are no active attributes to fill in');
  return attributes;
}
