import { readRows } from '../../common/rows.ts';
import type { Scope } from '../../common/scope.ts';
import { attributesOfJob } from '../jobs/attributes.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/failure.ts';
import type { JobItem } from '../jobs/item-entity.ts';
import { prices } from '../jobs/prices.ts';
import { Product } from '../products/entity.ts';

const IS_PARENT = ['isParent'] as const;
/** What the record says of itself, and what it may be read from. */
const READ = [
  ...(['id', 'sku', 'name', 'manufacturer', 'mpn', 'brand', 'category', 'isParent'] as const),
  ...(['attributes', 'userProvidedRawDataSources'] as const),
];

/** The price of an item that is a product, by whether it is a parent. */
export async function productPrice(scope: Scope, job: Job, item: JobItem): Promise<number> {
  const [product] = await readRows(scope, Product, { columns: IS_PARENT, where: { id: item.productId! } });
  return prices[job.kind][job.modelType][product?.isParent ? 'parent' : 'product'];
}

/** The product of an item. Throws `ItemFailure` when it was deleted meanwhile. */
export async function findProduct(scope: Scope, { productId }: JobItem): Promise<Product> {
  const [product] = await readRows(scope, Product, { columns: READ, where: { id: productId! } });
  if (!product) throw new ItemFailure('Product not found');
  return product;
}

/** The attributes a job is about. Throws `ItemFailure` when there are none. */
export async function attributesOf(scope: Scope, job: Job) {
  const attributes = await attributesOfJob(scope, job);
  if (attributes.length === 0) throw new ItemFailure('There are no active attributes to fill in');
  return attributes;
}
