import type { GraphQLResolveInfo } from 'graphql';
import type { Pool } from 'pg';
import { Args, Ctx, FieldResolver, ID, Info, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { storageExcess } from '../../../platform/credits/index.ts';
import {
  canonicalId,
  deleteOld,
  isId,
  LockOrderFault,
  query,
  requireAll,
  sql,
  withDeadlockRetry,
} from '../../../platform/database/index.ts';
import { args, list, output } from '../../../platform/fields/index.ts';
import { Access, User } from '../../../platform/identity/index.ts';
import { type CursorPage, CursorPageOf, cursorArguments, listByCursor } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { Product, RestorableProduct } from './entity.ts';
import { notFound, writeUnique } from './service.ts';

@ObjectType({ description: 'One page of deleted products.' })
class RestorableProductPage extends CursorPageOf(RestorableProduct, 'RestorableProductPage') {}

class DeletedProductsArguments extends cursorArguments(20) {}

class RestoredIds extends args({
  ids: list(ID, { minItems: 1, maxItems: 1_000, description: 'The ids that the products had.' }),
}) {}

@ObjectType({ description: 'The result of a restoration.' })
class RestoredProducts extends output({
  ids: list(ID, 'In the order of the request, without duplicates.'),
}) {}

@Access('member')
@Resolver(() => RestorableProduct)
export class RestorableProductResolver {
  @Query(() => RestorableProductPage, {
    description:
      'The deleted products, newest first. They are kept for 30 days, or until the data of the organization exceed 90 percent of its storage quota.',
  })
  deletedProducts(
    @Ctx() scope: RequestScope,
    @Args(() => DeletedProductsArguments) page: DeletedProductsArguments,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CursorPage<RestorableProduct>> {
    return listByCursor(scope, RestorableProduct, { columns: COLUMNS, orderBy: { deletedAt: 'desc', id: 'desc' } }, page, info);
  }

  @Mutation(() => RestoredProducts, {
    description:
      'Restore up to 1,000 deleted products with their values, sources, images and histories. Restores all of them or none. A restored parent gets its former variants again, except those that have another parent by now. A brand or category that was renamed meanwhile has its former name.',
  })
  restoreProducts(@Ctx() scope: RequestScope, @Args(() => RestoredIds) { ids }: RestoredIds): Promise<RestoredProducts> {
    return restoreProducts(scope, ids);
  }

  @FieldResolver(() => Date, { description: 'When the product can no longer be restored.' })
  expiresAt(@Root() { deletedAt }: RestorableProduct) {
    return new Date(deletedAt.getTime() + RESTORABLE_DAYS * 86_400_000);
  }

  @FieldResolver(() => User, { nullable: true, description: 'Null if the user was deleted.' })
  deletedBy(@Ctx() scope: RequestScope, @Root() { deletedById, organizationId }: RestorableProduct) {
    return deletedById && scope.within(organizationId).load(User, deletedById);
  }
}

/** Days for which a deleted product can be restored. */
const RESTORABLE_DAYS = 30;
/** Deleted products are kept while the data of the organization take at most this share of its storage quota. */
const KEPT_SHARE = 0.9;

/**
 * Deletes a product and detaches its variants. Histories and job items keep its id. The product moves as a whole to another table, from
 * which it can be restored.
 */
export async function deleteProduct(scope: RequestScope, id: string) {
  const { userId } = scope.caller;
  const move = (inner: Scope) => moveProduct(inner, canonicalId(id), userId);
  const isDeleted = isId(id) && (await withDeadlockRetry(() => transaction(scope, move)));
  if (!isDeleted) notFound();
  return { id, deleted: true };
}

async function moveProduct(scope: Scope, id: string, userId: string | null): Promise<boolean> {
  const { em, organizationId } = scope;
  const own = sql`organization_id = ${organizationId} and id = ${id}`;
  const family = sql`organization_id = ${organizationId} and (id = ${id} or parent_id = ${id})`;
  const known = await query(em, sql`select 1 from catalog.products where ${own} and is_parent`);
  const locked = await query(
    em,
    sql<{ id: string; isParent: boolean }>`select id, is_parent as "isParent" from catalog.products
         where ${known.length > 0 ? family : own} order by id for update`,
  );
  const product = locked.find((each) => each.id === id);
  if (!product) return false;
  if (product.isParent) {
    // The lock of a parent keeps new variants away, so that only those are left that came before it.
    const ids = locked.map((each) => each.id);
    const [late] = await query(
      em,
      sql<{ open: boolean }>`with late as (select id from catalog.products where ${family} and id <> all(${ids}::uuid[])),
                 taken as (select id from catalog.products where id in (select id from late) for update skip locked)
            select (select count(*) from late) > (select count(*) from taken) as open`,
    );
    if (late!.open) throw new LockOrderFault('The product got a variant meanwhile');
  }
  await query(
    em,
    sql`with moved as (
          select p.id, p.organization_id, p.sku, p.name, p.brand, p.category, p.parent_id,
                 to_jsonb(p) - array['value_keys', 'shape', 'lowest_confidence'] as record,
                 array(select v.id from catalog.products v where v.parent_id = p.id) as variant_ids,
                 array(select to_jsonb(i) from catalog.product_images i where i.product_id = p.id) as images,
                 array(select to_jsonb(r) from catalog.proposals r where r.product_id = p.id and r.verdict is null) as proposals
            from catalog.products p where p.id = ${id}),
        kept as (
          insert into catalog.deleted_products (id, organization_id, sku, name, brand, category, parent_id, deleted_by_id, record, variant_ids,
                                                images, proposals, bytes)
          select id, organization_id, sku, name, brand, category, parent_id, ${userId}::uuid, record, variant_ids, images, proposals,
                 500 + identity.json_bytes(record) + 16 * cardinality(variant_ids)
                   + (select coalesce(sum(identity.json_bytes(e)), 0) from unnest(images || proposals) e) from moved)
        delete from catalog.products where id = ${id}`,
  );
  await forgetBeyondQuota(scope);
  return true;
}

/** Without this, the deletion of products would give a full organization no room. */
async function forgetBeyondQuota(scope: Scope): Promise<void> {
  const excess = await storageExcess(scope, KEPT_SHARE);
  if (excess <= 0) return;
  await query(
    scope.em,
    // A product that is being restored is locked, and its transaction may wait for this one.
    sql`delete from catalog.deleted_products where id in (
          select id from catalog.deleted_products where id in (
            select id from (
              select id, sum(bytes) over (order by deleted_at, id) - bytes as freed from (
                select id, bytes, deleted_at from catalog.deleted_products where organization_id = ${scope.organizationId}
                 order by deleted_at, id limit 100) oldest) o
             where freed < ${excess}::float8) for update skip locked)`,
  );
}

const COLUMNS = ['id', 'organizationId', 'sku', 'name', 'brand', 'category', 'deletedById', 'deletedAt'] as const;

interface Claimed {
  id: string;
  sku: string;
  externalId: string | null;
}

/**
 * Restores deleted products with their values, sources, images and open proposals: all of them or none. A restored parent gets its former
 * variants again, except those that have another parent by now. Brands and categories have the names of the time of the deletion. Throws
 * `NOT_FOUND` with `missingIds`, and `CONFLICT` if another product has a SKU or external id meanwhile.
 */
async function restoreProducts(scope: RequestScope, given: readonly string[]): Promise<{ ids: string[] }> {
  const ids = [...new Set(given.map(canonicalId))];
  const keys = new Map((await readKeys(scope, ids)).map((each) => [each.id, each]));
  // In the places of the request, which a conflict names. A repeated id is no conflict.
  const places = given.map((id) => {
    const known = keys.get(canonicalId(id)) ?? {};
    keys.delete(canonicalId(id));
    return known;
  });
  return writeUnique(scope, places, () =>
    scope.write(async (inner) => {
      const family = await claim(inner, ids);
      await insertRestored(inner, family);
      return { ids: family.ids };
    }),
  );
}

const readKeys = ({ em, organizationId }: Scope, ids: readonly string[]): Promise<Claimed[]> =>
  query(
    em,
    sql<Claimed>`select id, sku, record ->> 'external_id' as "externalId" from catalog.deleted_products
                  where organization_id = ${organizationId} and id = any(${ids.filter(isId)}::uuid[])`,
  );

interface Family {
  ids: string[];
  /** The products that are their parents or variants. */
  relatives: string[];
}

/**
 * Locks the deleted products with those of their parents and variants that are deleted, and then the parents and variants that are not, all in
 * the order of ids. The deleted products no longer count against the quota, because the restored ones do.
 */
async function claim({ em, organizationId }: Scope, given: readonly string[]): Promise<Family> {
  const claimed = await requireAll(given, 'Product', (known) => {
    const among = sql`from catalog.deleted_products where id = any(${known}::uuid[])`;
    return query(
      em,
      sql<{ id: string; locked: string[] }>`with locked as materialized (
            select id from catalog.deleted_products where organization_id = ${organizationId}
               and (id = any(${known}::uuid[]) or id in (select parent_id ${among}) or id in (select unnest(variant_ids) ${among}))
             order by id for update)
          update catalog.deleted_products d set bytes = 0 from locked l where d.id = l.id and d.id = any(${known}::uuid[])
          returning d.id, array(select id from locked) as locked`,
    );
  });
  const ids = claimed.map(({ id }) => id);
  const among = sql`from catalog.deleted_products where id = any(${ids}::uuid[])`;
  const relatives = await query(
    em,
    sql<{ id: string }>`select id from catalog.products where organization_id = ${organizationId}
           and (id in (select parent_id ${among}) or id in (select unnest(variant_ids) ${among})) order by id for no key update`,
  );
  const gone = await query(
    em,
    sql`select 1 from catalog.deleted_products where organization_id = ${organizationId} and id in (select parent_id ${among})
           and id <> all(${claimed[0]?.locked ?? []}::uuid[])`,
  );
  if (gone.length > 0) throw new LockOrderFault('A parent was deleted meanwhile');
  return { ids, relatives: relatives.map(({ id }) => id) };
}

async function insertRestored(scope: Scope, { ids, relatives }: Family): Promise<void> {
  const { em, organizationId, services } = scope;
  const columns = services.orm.getMetadata(Product).props.map(({ fieldNames }) => fieldNames[0]!);
  const unchanged = columns.filter((name) => name !== 'parent_id' && name !== 'updated_at');
  const restored = sql`(select * from catalog.deleted_products where id = any(${ids}::uuid[]))`;
  // A variant that comes back before its parent follows it later.
  await query(
    em,
    sql`update catalog.deleted_products d set variant_ids = d.variant_ids || c.ids from (
          select parent_id, array_agg(id) as ids from ${restored} r where parent_id is not null group by 1) c
         where d.id = c.parent_id and d.organization_id = ${organizationId} and d.id <> all(${ids}::uuid[])`,
  );
  await query(em, isNewToReceivers(organizationId, ids));
  // Before the products, because enrichments lock the counters of proposals before they lock anything of products.
  await query(
    em,
    sql`insert into catalog.proposals select r.* from ${restored} d, unnest(d.proposals) e,
               jsonb_populate_record(null::catalog.proposals, e) r
         where exists (select from catalog.job_items i where i.id = r.item_id) order by r.slug, r.item_id on conflict do nothing`,
  );
  const names = (prefix: string) => sql.raw(unchanged.map((name) => `${prefix}"${name}"`).join(', '));
  await query(
    em,
    sql`insert into catalog.products (${names('')}, parent_id, updated_at)
        select ${names('r.')}, case when exists (
                   select from catalog.products p where p.id = d.parent_id and p.organization_id = ${organizationId} and p.is_parent)
                 or exists (select from ${restored} p where p.id = d.parent_id and (p.record ->> 'is_parent')::boolean)
                 then d.parent_id end, clock_timestamp()
          from ${restored} d, jsonb_populate_record(null::catalog.products, d.record) r order by r.sku`,
  );
  await query(
    em,
    sql`insert into catalog.product_images select r.* from ${restored} d, unnest(d.images) e,
               jsonb_populate_record(null::catalog.product_images, e) r`,
  );
  await query(
    em,
    sql`update catalog.products v set parent_id = n.parent_id, updated_at = clock_timestamp() from (
          select distinct on (v.id) v.id, d.id as parent_id from ${restored} d cross join unnest(d.variant_ids) v (id) order by v.id, d.deleted_at desc) n
         where v.id = n.id and v.id = any(${relatives}::uuid[]) and v.parent_id is null and not v.is_parent`,
  );
  await query(em, sql`delete from catalog.deleted_products where id = any(${ids}::uuid[])`);
}

/** A receiver of events that did not exist at the time of the deletion does not know the product. */
const isNewToReceivers = (organizationId: string, ids: readonly string[]) =>
  sql`update catalog.changes c set first_at = now(), announced = false from catalog.change_counters k
       where k.organization_id = ${organizationId} and c.organization_id = ${organizationId} and c.record_id = any(${ids}::uuid[])
         and c.at < k.emitting_since`;

const EXPIRED = `
  delete from catalog.deleted_products where id in (
    select id from catalog.deleted_products where deleted_at < now() - interval '1 day' * $1 order by deleted_at limit $2 for update skip locked)`;

/** Forget the products that were deleted long ago, and return their number. */
export const forgetDeleted = (pool: Pool, days = RESTORABLE_DAYS): Promise<number> => deleteOld(pool, EXPIRED, days);
