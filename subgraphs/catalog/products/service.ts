import { isDeepStrictEqual } from 'node:util';
import { LockMode, wrap } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import {
  canonicalId,
  clock,
  findById,
  insertRows,
  isId,
  query,
  requireAll,
  sql,
  withDeadlockRetry,
} from '../../../platform/database/index.ts';
import { fresh, type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { AttributeValues, Provenances } from '../attributes/attribute-content.ts';
import { checkSize } from '../attributes/service.ts';
import { readAttributeValues } from '../attributes/value-faults.ts';
import { labelValues } from '../calibration/calibrate.ts';
import { Product } from './entity.ts';
import type { CreatedProducts, NewProduct, ProductChange } from './types.ts';
import { postTouches } from './write-contents.ts';

/** Throws `NOT_FOUND`. */
export const findProduct = ({ em }: Scope, id: string, lockMode?: LockMode.PESSIMISTIC_WRITE): Promise<Product> =>
  findById(em, Product, id, 'Product', lockMode && { lockMode, refresh: true });

/** Finds a product by exactly one of its keys. Throws `NOT_FOUND`. */
export async function findProductBy(scope: Scope, keys: { [K in 'id' | 'sku' | 'externalId']?: string | null }): Promise<Product> {
  const given = Object.entries(keys).filter(([, value]) => typeof value === 'string');
  if (given.length !== 1) throw fail('INVALID_INPUT', 'exactly one of id, sku and externalId is required');
  if (typeof keys.id === 'string') return findProduct(scope, keys.id);
  return (await scope.em.findOne(Product, Object.fromEntries(given))) ?? notFound();
}

/** Finds a product by id or, failing that, by external id. Throws `NOT_FOUND`. */
async function findProductByAnyId(scope: Scope, id: string): Promise<Product> {
  const byExternalId = await scope.em.findOne(Product, { externalId: id });
  if (isId(id)) return (await scope.em.findOne(Product, id)) ?? byExternalId ?? notFound();
  return byExternalId ?? notFound();
}

export const createProduct = async (scope: RequestScope, input: NewProduct): Promise<Product> =>
  insertProducts(scope, await withValues(scope, [input]), (insert) =>
    writeRows(scope, [input], async (inner) => (await insert(inner))[0]!),
  );

/** Creates all products or none. Throws `CONFLICT` if a SKU or external id is taken or repeated in the request. */
export const createProducts = async (scope: RequestScope, inputs: NewProduct[]): Promise<CreatedProducts> =>
  insertProducts(scope, await withValues(scope, inputs), (insert) =>
    writeRows(scope, inputs, async (inner) => ({ created: true, ids: (await insert(inner)).map(({ id }) => id) })),
  );

/** Products without a parent are inserted by one statement, which needs no transaction. */
const writeRows = <T>(scope: RequestScope, inputs: NewProduct[], work: (inner: RequestScope) => Promise<T>): Promise<T> =>
  !scope.storesResult && inputs.every(({ parentId }) => parentId == null) ? work(scope) : scope.write(work);

/** A product whose values are checked and clean. */
export type CheckedProduct = NewProduct & { attributes: AttributeValues; provenance?: Provenances };

/** Like `createProducts`, for work that is no request and has checked the values. */
export const importProducts = (scope: Scope, inputs: CheckedProduct[]): Promise<Product[]> =>
  insertProducts(scope, inputs, (insert) => transaction(scope, insert));

/** Before the transaction, which must not wait for a thread that cleans HTML. */
async function withValues(scope: Scope, inputs: NewProduct[]): Promise<CheckedProduct[]> {
  if (inputs.every(({ attributes }) => attributes == null)) return inputs.map((input) => ({ ...input, attributes: {} }));
  const maps = await readAttributeValues(
    scope,
    inputs.map((input) => input.attributes ?? {}),
  );
  return inputs.map((input, at) => ({ ...input, attributes: maps[at]! }));
}

/** @param write runs the function that inserts the products in a transaction */
function insertProducts<T>(
  scope: Scope,
  inputs: CheckedProduct[],
  write: (insert: (inner: Scope) => Promise<Product[]>) => Promise<T>,
): Promise<T> {
  const insert = async (inner: Scope) => {
    await checkGroups(inner, inputs);
    // Most keys are free, so `writeUnique` looks for those that are taken only when the insert fails.
    const rows = inputs.map((input) => newProduct(inner, input));
    // A fixed order prevents deadlocks between requests that share several SKUs.
    await insertRows(
      inner,
      Product,
      rows.toSorted((a, b) => (a.sku < b.sku ? -1 : 1)),
    );
    return rows;
  };
  return writeUnique(scope, inputs, () => write(insert));
}

/** A plain row instead of an entity, for bulk inserts. */
function newProduct({ organizationId }: Scope, input: CheckedProduct): Product {
  const { sku, name, manufacturer = null, mpn = null, uom = null, brand = null, category = null, externalId = null } = input;
  const now = clock.now();
  return {
    ...{ id: uuid(), organizationId, sku, name, manufacturer, mpn, uom, brand, category, externalId },
    parentId: input.parentId ? canonicalId(input.parentId) : null,
    isParent: input.isParent ?? false,
    enriched: false,
    archived: false,
    userProvidedRawDataSources: input.userProvidedRawDataSources ?? [],
    attributes: input.attributes,
    provenance: input.provenance ?? {},
    createdAt: now,
    updatedAt: now,
  };
}

/** Changes the given fields. Throws `CONFLICT` if another product has the SKU or external id. */
export async function updateProduct(scope: Scope, id: string, input: ProductChange): Promise<Product> {
  const { sku, externalId } = input;
  const newParentId = input.parentId && canonicalId(input.parentId);
  const change = async (inner: Scope) => {
    // All writers lock products in the order of their ids.
    if (newParentId && newParentId < canonicalId(id) && (await lockParents(inner, [newParentId])).length === 0) notFound();
    const product = await findProduct(inner, id, LockMode.PESSIMISTIC_WRITE);
    const isParent = input.isParent === undefined ? product.isParent : (input.isParent ?? false);
    const parentId = newParentId === undefined ? product.parentId : newParentId;
    if (parentId === product.id) throw fail('INVALID_INPUT', 'a product cannot be its own parent');
    if (input.isParent !== undefined || input.parentId !== undefined) await checkGroups(inner, [{ isParent, parentId }]);
    if (product.isParent && !isParent && (await inner.em.count(Product, { parentId: id })) > 0) {
      throw fail('INVALID_INPUT', 'a product with variants must stay a parent');
    }
    const isRenamed = product.isParent && input.name != null && input.name !== product.name;
    const { userProvidedRawDataSources, ...text } = input;
    wrap(product).assign({
      ...(text as Partial<Product>),
      isParent,
      parentId,
      ...(userProvidedRawDataSources !== undefined && { userProvidedRawDataSources: userProvidedRawDataSources ?? [] }),
      updatedAt: clock.now(),
    });
    await inner.em.flush();
    if (isRenamed) await postTouches(inner, [product.id]);
    return product;
  };
  return writeUnique(scope, [{ sku, externalId }], () => transaction(scope, change), id);
}

/** Merges the values into those of the product and removes the provenance of each replaced value. */
export async function updateAttributes(scope: Scope, id: string, attributes: unknown): Promise<Product> {
  const [values = {}] = await readAttributeValues(scope, [attributes]);
  const { id: productId } = await findProductByAnyId(scope, id);
  return transaction(scope, async (inner) => {
    const locked = { populate: ['attributes', 'provenance'], lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;
    // The product may have been deleted before the lock.
    const product = (await inner.em.findOne(Product, productId, locked)) ?? notFound();
    const judged = Object.entries(product.provenance).filter(([slug]) => Object.hasOwn(values, slug));
    const isSame = (slug: string) => isDeepStrictEqual(values[slug]?.value, product.attributes[slug]?.value);
    const labels = judged.map(([slug, origin]) => ({ slug, origin, isRight: isSame(slug) }));
    await labelValues(inner, 'edit', labels);
    product.attributes = checkSize({ ...product.attributes, ...values });
    product.provenance = Object.fromEntries(Object.entries(product.provenance).filter(([key]) => !Object.hasOwn(values, key)));
    product.updatedAt = clock.now();
    return product;
  });
}

/** Requires that a parent is not a variant and that `parentId` names a parent. Locks the parents until the commit. */
async function checkGroups(scope: Scope, inputs: Pick<ProductChange, 'isParent' | 'parentId'>[]): Promise<void> {
  if (inputs.some(({ isParent, parentId }) => isParent && parentId)) {
    throw fail('INVALID_INPUT', 'a product cannot have both isParent and parentId');
  }
  const wanted = [...new Set(inputs.flatMap(({ parentId }) => parentId ?? []).map(canonicalId))];
  if (wanted.length === 0) return;
  const parents = await lockParents(scope, wanted);
  if (parents.length < wanted.length) notFound();
  if (parents.some(({ isParent }) => !isParent)) throw fail('INVALID_INPUT', 'parentId must name a product that is a parent');
}

const lockParents = ({ em }: Scope, ids: string[]) => {
  const lock = { lockMode: LockMode.PESSIMISTIC_READ, orderBy: { id: 'asc' }, refresh: true } as const;
  return em.find(Product, { id: { $in: ids.filter(isId) } }, { fields: ['isParent'], ...lock });
};

const KEYS = ['sku', 'externalId'] as const;
type Identified = { [K in (typeof KEYS)[number]]?: string | null };

/** A key of a product in a request that another product has. */
interface Conflict {
  /** Position of the product in the request. */
  index: number;
  field: (typeof KEYS)[number];
  value: string;
  /** `exists`: a product of the catalog has it. `repeated`: an earlier product of the request has it. */
  reason: 'exists' | 'repeated';
}

/** @param ownId the product that the request changes */
async function refuseTaken({ em, organizationId }: Scope, inputs: Identified[], ownId: string | null = null): Promise<void> {
  const [wanted, external] = KEYS.map((field) => inputs.flatMap((input) => input[field] ?? []));
  const existing = await query(
    em,
    sql<Identified>`select sku, external_id as "externalId" from catalog.products
       where organization_id = ${organizationId} and id is distinct from ${ownId}::uuid
         and (sku = any(${wanted!}::text[]) or external_id = any(${external!}::text[]))`,
  );
  const conflicts = KEYS.flatMap((field) => {
    const taken = new Set(existing.map((product) => product[field]));
    const seen = new Set<string>();
    return inputs.flatMap((input, index): Conflict[] => {
      const value = input[field];
      if (value == null) return [];
      const isRepeated = seen.has(value);
      seen.add(value);
      return taken.has(value) || isRepeated ? [{ index, field, value, reason: taken.has(value) ? 'exists' : 'repeated' }] : [];
    });
  });
  if (conflicts.length > 0) throw alreadyExist(conflicts);
}

/** Names each product by its SKU if the SKU is in conflict, and otherwise by its external id, in the order of the request. */
function alreadyExist(conflicts: Conflict[]) {
  const named = new Map<number, string>();
  for (const { index, value } of conflicts) if (!named.has(index)) named.set(index, value);
  const names = [...named].sort(([a], [b]) => a - b).map(([, value]) => value);
  const message = `Products with these SKUs/externalIds already exist: ${[...new Set(names)].join(', ')}`;
  return fail('CONFLICT', message, undefined, { conflicts });
}

/** Runs a transaction that looks for taken keys itself, and retries it when another one takes a key at the same time, or after a deadlock. */
export async function retryAtConflict<T>(write: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await withDeadlockRetry(write);
  } catch (error) {
    if (!isUniqueViolation(error) || attempt === MAX_ATTEMPTS) throw error;
    return retryAtConflict(write, attempt + 1);
  }
}

/** Maps unique violations of a transaction to the keys that are taken. */
export async function writeUnique<T>(scope: Scope, inputs: Identified[], write: () => Promise<T>, ownId?: string): Promise<T> {
  try {
    return await withDeadlockRetry(write);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await refuseTaken(fresh(scope), inputs, ownId);
    // The other product was deleted meanwhile.
    throw fail('CONFLICT', 'Another request changed the same record at the same time. Please try again.');
  }
}

/** The driver has the SQLSTATE, also behind the exceptions of MikroORM. */
const isUniqueViolation = (error: unknown): boolean => (error as { code?: unknown }).code === '23505';

const MAX_ATTEMPTS = 5;

export function notFound(): never {
  throw fail('NOT_FOUND', 'Product not found');
}

/**
 * Archives products, or brings them back: all of them or none. Returns the number of products that changed. Throws `NOT_FOUND` with
 * `missingIds`.
 */
export function setArchived(scope: RequestScope, ids: readonly string[], archived: boolean): Promise<number> {
  const change = () =>
    transaction(scope, async ({ em, organizationId }) => {
      const locked = await requireAll(ids.map(canonicalId), 'Product', (known) =>
        query(
          em,
          sql<{ id: string; archived: boolean }>`select id, archived from catalog.products
                where organization_id = ${organizationId} and id = any(${known}::uuid[]) order by id for update`,
        ),
      );
      const changed = locked.filter((product) => product.archived !== archived).map(({ id }) => id);
      if (changed.length > 0)
        await query(
          em,
          sql`update catalog.products set archived = ${archived}, updated_at = clock_timestamp() where id = any(${changed}::uuid[])`,
        );
      return changed.length;
    });
  return withDeadlockRetry(change);
}

/** Like `findProductBy`. An agent finds no archived product. */
export async function findForCaller(scope: RequestScope, keys: Parameters<typeof findProductBy>[1]): Promise<Product> {
  const product = await findProductBy(scope, keys);
  if (product.archived && scope.caller.isAgent) throw fail('NOT_FOUND', 'Product not found');
  return product;
}
