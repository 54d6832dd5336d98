import { Args, Authorized, Ctx, Mutation, Resolver } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { upsertProducts } from './upsert.ts';
import { UpsertArguments, UpsertedProduct } from './upsert-types.ts';

@Resolver()
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
}
