import { LockMode, raw, UniqueConstraintViolationException, wrap } from '@mikro-orm/postgresql';
import { fail } from '../../../schema/errors.ts';
import { isId } from '../../common/ids.ts';
import { listPage } from '../../common/page.ts';
import type { Scope } from '../../common/scope.ts';
import { readAttributeValues } from '../attributes/values.ts';
import { countProducts } from './counts.ts';
import { Product } from './entity.ts';
import type { NewProduct, ProductChange, ProductsArguments } from './types.ts';

const LISTED = [
  'id',
  'organizationId',
  'sku',
  'name',
  'manufacturer',
  'mpn',
  'uom',
  'brand',
  'category',
  'externalId',
  'parentId',
  'isParent',
  'enriched',
  'createdAt',
  'updatedAt',
] as const;

/** One page of products as plain rows; `attributes` and other large columns are read only when they are asked for. */
export function listProducts(
  scope: Scope,
  { search, sortBy, sortOrder, parentFilter, enrichedFilter, ...page }: ProductsArguments,
) {
  const filter = {
    ...(parentFilter !== 'all' && { isParent: parentFilter === 'parent' }),
    ...(enrichedFilter !== 'all' && { enriched: enrichedFilter === 'enriched' }),
  };
  const where = { ...filter, ...(search && matching(search)) };
  const orderBy = { [sortBy]: sortOrder, id: sortOrder };
  return listPage(scope, Product, { columns: LISTED, where, orderBy }, page, search ? undefined : countProducts(scope, filter));
}

/** Part of the name or the SKU, in any case; the trigram index answers both. */
function matching(search: string): object {
  const pattern = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  return { $or: [{ [lower('name')]: { $like: pattern } }, { [lower('sku')]: { $like: pattern } }] };
}

/** The product of this id. Throws `NOT_FOUND`. */
export async function findProduct({ em }: Scope, id: string): Promise<Product> {
  return (isId(id) && (await em.findOne(Product, id))) || notFound();
}

/** The product whose id, or else whose external id, this is. Throws `NOT_FOUND`. */
export async function findProductByAnyId(scope: Scope, id: string): Promise<Product> {
  const byExternalId = await scope.em.findOne(Product, { externalId: id });
  if (isId(id)) return (await scope.em.findOne(Product, id)) ?? byExternalId ?? notFound();
  return byExternalId ?? notFound();
}

export async function createProduct(scope: Scope, input: NewProduct): Promise<Product> {
  const [product] = await createProducts(scope, [input]);
  return product!;
}

/** Create all of the products or none. Throws `CONFLICT` when a SKU or external id is taken, also within the request. */
export async function createProducts(scope: Scope, inputs: NewProduct[]): Promise<Product[]> {
  await checkGroups(scope, inputs);
  await refuseTaken(scope.em, inputs);
  const rows = inputs.map(({ attributes, userProvidedRawDataSources, isParent, ...text }) =>
    scope.em.create(
      Product,
      {
        ...text,
        organizationId: scope.organizationId,
        isParent: isParent ?? false,
        userProvidedRawDataSources: userProvidedRawDataSources ?? [],
        attributes: readAttributeValues(attributes ?? {}),
      },
      { persist: false },
    ),
  );
  await orTaken(scope, inputs, () => scope.em.insertMany(Product, rows));
  return rows;
}

export async function updateProduct(scope: Scope, id: string, input: ProductChange): Promise<Product> {
  const product = await findProduct(scope, id);
  await checkGroups(scope, [
    {
      ...input,
      isParent: input.isParent ?? product.isParent,
      parentId: input.parentId === undefined ? product.parentId : input.parentId,
    },
  ]);
  if (input.parentId === id) throw fail('INVALID_INPUT', 'a product cannot be its own parent');
  const leavesGroup = (input.isParent === false && product.isParent) || (input.parentId && !product.parentId);
  if (leavesGroup && (await scope.em.count(Product, { parentId: id })) > 0) {
    throw fail('INVALID_INPUT', 'a product with variants must stay a parent');
  }
  const { userProvidedRawDataSources, isParent, ...text } = input;
  wrap(product).assign({
    ...text,
    ...(isParent !== undefined && { isParent: isParent ?? false }),
    ...(userProvidedRawDataSources !== undefined && { userProvidedRawDataSources: userProvidedRawDataSources ?? [] }),
    updatedAt: new Date(),
  });
  await orTaken(scope, [input], () => scope.em.flush());
  return product;
}

/** Delete a product; its variants are detached, its histories and job items keep the id. */
export async function deleteProduct(scope: Scope, id: string) {
  const deleted = isId(id) ? await scope.em.nativeDelete(Product, { id }) : 0;
  if (deleted === 0) notFound();
  return { id, deleted: true };
}

/** Write the given attribute values over the product's, key by key. A value that a caller writes has no provenance. */
export async function updateAttributes(scope: Scope, id: string, attributes: unknown): Promise<Product> {
  const values = readAttributeValues(attributes);
  const { id: productId } = await findProductByAnyId(scope, id);
  return scope.em.transactional(async (em) => {
    const product = await em.findOneOrFail(Product, productId, {
      populate: ['attributes', 'provenance'],
      lockMode: LockMode.PESSIMISTIC_WRITE,
      refresh: true,
    });
    product.attributes = { ...product.attributes, ...values };
    product.provenance = Object.fromEntries(Object.entries(product.provenance).filter(([key]) => !Object.hasOwn(values, key)));
    product.updatedAt = new Date();
    return product;
  });
}

/** A parent cannot be a variant, and a variant's parent must be a parent of the same organization. */
async function checkGroups({ em }: Scope, inputs: Pick<ProductChange, 'isParent' | 'parentId'>[]): Promise<void> {
  if (inputs.some(({ isParent, parentId }) => isParent && parentId)) {
    throw fail('INVALID_INPUT', 'a product cannot have both isParent and parentId');
  }
  const wanted = [...new Set(inputs.flatMap(({ parentId }) => parentId ?? []))];
  if (wanted.length === 0) return;
  if (!wanted.every(isId)) notFound();
  const parents = await em.find(Product, { id: { $in: wanted } }, { fields: ['isParent'] });
  if (parents.length < wanted.length) notFound();
  if (parents.some(({ isParent }) => !isParent)) throw fail('INVALID_INPUT', 'parentId must name a product that is a parent');
}

type Identified = Pick<NewProduct, 'sku' | 'externalId'>;

async function refuseTaken(em: Scope['em'], inputs: Identified[]): Promise<void> {
  const seen = new Set<string>();
  const repeated = inputs.filter(({ sku, externalId }) => {
    const keys = [`sku ${sku}`, ...(externalId ? [`external ${externalId}`] : [])];
    const again = keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    return again;
  });
  const existing = await em.find(
    Product,
    {
      $or: [
        { sku: { $in: inputs.map(({ sku }) => sku) } },
        { externalId: { $in: inputs.flatMap(({ externalId }) => externalId ?? []) } },
      ],
    },
    { fields: ['sku', 'externalId'] },
  );
  const skus = new Set(existing.map(({ sku }) => sku));
  const externalIds = new Set(existing.map(({ externalId }) => externalId));
  const taken = inputs.filter(({ sku, externalId }) => skus.has(sku) || (externalId && externalIds.has(externalId)));
  if (taken.length + repeated.length > 0) throw alreadyExist([...taken, ...repeated]);
}

/** Another request may take a SKU between the check and the write: the database decides. */
async function orTaken<T>(scope: Scope, inputs: Identified[], write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    await refuseTaken(scope.em.fork(), inputs);
    throw alreadyExist(inputs);
  }
}

const alreadyExist = (inputs: Identified[]) =>
  fail('CONFLICT', `Products with these SKUs/externalIds already exist: ${[...new Set(inputs.map(({ sku }) => sku))].join(', ')}`);

const lower = (column: string) => raw((alias) => `lower(${alias}.${column})`);

function notFound(): never {
  throw fail('NOT_FOUND', 'Product not found');
}
