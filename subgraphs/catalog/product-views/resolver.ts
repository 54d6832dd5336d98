import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { clock, isId, lockName, query, readRows, sql } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Access, User } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Deleted } from '../attributes/entity.ts';
import { ProductView, ProductViewInput } from './entity.ts';

/** Views of one user, and shared views of an organization. */
const [MAX_OWN, MAX_SHARED] = [100, 200];

@Access('member')
@Resolver(() => ProductView)
export class ProductViewResolver {
  @ListSize(MAX_OWN + MAX_SHARED)
  @Query(() => [ProductView], {
    description: 'The views of the caller, at most 100, and those that others share in the organization, at most 200, by name.',
  })
  productViews(@Ctx() scope: RequestScope): Promise<ProductView[]> {
    return readRows(
      scope,
      ProductView,
      {
        matching: (bind) => `(r.is_shared or r.owner_id = ${bind(scope.caller.userId)}::uuid)`,
        orderBy: { name: 'asc', id: 'asc' },
        isPrepared: true,
      },
      { limit: MAX_OWN + MAX_SHARED, offset: 0 },
    );
  }

  /** Saves a view of the caller, and replaces the one with the same name. Throws `UNPROCESSABLE` when there are too many. */
  @Mutation(() => ProductView, { description: 'Save a view of the list of products for the caller, and share it if wanted.' })
  saveProductView(@Ctx() scope: RequestScope, @Arg('input', () => ProductViewInput) input: ProductViewInput): Promise<ProductView> {
    const ownerId = scope.caller.userId;
    const content = { ...input, name: input.name.trim(), savedAt: clock.now() };
    return scope.write(async (inner) => {
      const { em, organizationId } = inner;
      await lockName(em, `product views of ${organizationId}`);
      const [known] = await query(
        em,
        sql<{ id: string; isShared: boolean }>`select id, is_shared as "isShared" from catalog.product_views
             where organization_id = ${organizationId} and owner_id = ${ownerId} and lower(name) = lower(${content.name})`,
      );
      if (!known && (await em.count(ProductView, { ownerId })) >= MAX_OWN)
        throw fail('UNPROCESSABLE', `A user has at most ${MAX_OWN} views of the list of products.`);
      if (content.isShared && !known?.isShared && (await em.count(ProductView, { isShared: true })) >= MAX_SHARED)
        throw fail('UNPROCESSABLE', `An organization has at most ${MAX_SHARED} shared views.`);
      if (!known) return em.create(ProductView, { ...content, ownerId, organizationId });
      return em.assign(await em.findOneOrFail(ProductView, known.id), content);
    });
  }

  @Mutation(() => Deleted, { description: 'Delete a view of the caller. Admins also delete shared views of others.' })
  async deleteProductView(@Ctx() scope: RequestScope, @Id() id: string) {
    const isAdmin = scope.organization.role !== 'member';
    const own = { ownerId: scope.caller.userId };
    const where = { id, $or: isAdmin ? [own, { isShared: true }] : [own] };
    if (!isId(id) || (await scope.em.nativeDelete(ProductView, where)) === 0) throw fail('NOT_FOUND', 'View not found');
    return { id, deleted: true };
  }

  @FieldResolver(() => User, { nullable: true, description: 'Null if the user was deleted.' })
  owner(@Ctx() scope: RequestScope, @Root() { ownerId }: ProductView) {
    return scope.load(User, ownerId);
  }

  @FieldResolver(() => Boolean, { description: 'Whether the view belongs to the caller.' })
  isOwn(@Ctx() scope: RequestScope, @Root() { ownerId }: ProductView): boolean {
    return ownerId === scope.caller.userId;
  }
}
