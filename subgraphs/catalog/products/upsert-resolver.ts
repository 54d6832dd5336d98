import { Args, Authorized, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Product } from './entity.ts';
import { upsertProducts } from './upsert.ts';
import { UpsertArguments, UpsertedProduct } from './upsert-types.ts';

@Resolver(() => UpsertedProduct)
export class UpsertResolver {
  @Authorized('member')
  @ListSize(1_000)
  @Mutation(() => [UpsertedProduct], {
    description:
      'Create or change up to 1,000 products by SKU or external id. Each has its own result, in the order of the request; a refused one does not affect the others. A repeated request changes nothing.',
  })
  upsertProducts(@Ctx() scope: RequestScope, @Args(() => UpsertArguments) request: UpsertArguments): Promise<UpsertedProduct[]> {
    return upsertProducts(scope, request);
  }

  @FieldResolver(() => Product, {
    nullable: true,
    description: 'The product after the request, also a refused one. Null if there is none.',
  })
  product(@Ctx() scope: RequestScope, @Root() { productId }: UpsertedProduct) {
    return productId ? scope.load(Product, productId) : null;
  }
}
