import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, FieldResolver, ID, Info, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { args, list, output } from '../../../platform/fields/index.ts';
import { Access, User } from '../../../platform/identity/index.ts';
import { CursorPageOf, cursorArguments } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { RestorableProduct } from './entity.ts';
import * as deletion from './product-deletion.ts';

@ObjectType({ description: 'One page of deleted products.' })
class RestorableProductPage extends CursorPageOf(RestorableProduct, 'RestorableProductPage') {}

@ArgsType()
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
  ) {
    return deletion.listDeleted(scope, page, info);
  }

  @Mutation(() => RestoredProducts, {
    description:
      'Restore up to 1,000 deleted products with their values, sources, images and histories. Restores all of them or none. A restored parent gets its former variants again, except those that have another parent by now. A brand or category that was renamed meanwhile has its former name.',
  })
  restoreProducts(@Ctx() scope: RequestScope, @Args(() => RestoredIds) { ids }: RestoredIds): Promise<RestoredProducts> {
    return deletion.restoreProducts(scope, ids);
  }

  @FieldResolver(() => Date, { description: 'When the product can no longer be restored.' })
  expiresAt(@Root() { deletedAt }: RestorableProduct) {
    return new Date(deletedAt.getTime() + deletion.RESTORABLE_DAYS * 86_400_000);
  }

  @FieldResolver(() => User, { nullable: true, description: 'Null if the user was deleted.' })
  deletedBy(@Ctx() scope: RequestScope, @Root() { deletedById, organizationId }: RestorableProduct) {
    return deletedById && scope.within(organizationId).load(User, deletedById);
  }
}
