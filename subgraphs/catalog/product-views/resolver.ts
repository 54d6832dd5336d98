import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Access, User } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Deleted } from '../attributes/entity.ts';
import { ProductView, ProductViewInput } from './entity.ts';
import * as views from './service.ts';

@Access('member')
@Resolver(() => ProductView)
export class ProductViewResolver {
  @ListSize(views.MAX_OWN + views.MAX_SHARED)
  @Query(() => [ProductView], {
    description: 'The views of the caller, at most 100, and those that others share in the organization, at most 200, by name.',
  })
  productViews(@Ctx() scope: RequestScope) {
    return views.listViews(scope);
  }

  @Mutation(() => ProductView, { description: 'Save a view of the list of products for the caller, and share it if wanted.' })
  saveProductView(@Ctx() scope: RequestScope, @Arg('input', () => ProductViewInput) input: ProductViewInput) {
    return views.saveView(scope, input);
  }

  @Mutation(() => Deleted, { description: 'Delete a view of the caller. Admins also delete shared views of others.' })
  deleteProductView(@Ctx() scope: RequestScope, @Id() id: string) {
    return views.deleteView(scope, id);
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
