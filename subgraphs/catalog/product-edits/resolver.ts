import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Job } from '../jobs/entity.ts';
import { Product } from '../products/entity.ts';
import {
  EditArguments,
  EditedContent,
  EditResultsArguments,
  ProductEditPreview,
  ProductEditResult,
  ProductEditResultPage,
  ProductEditState,
} from './entity.ts';
import * as edits from './service.ts';

@Access('member')
@Resolver()
export class ProductEditResolver {
  @Query(() => ProductEditPreview, {
    description: 'Preview a bulk edit: the number of products, and the first of those that it changes or refuses.',
  })
  productEditPreview(@Ctx() scope: RequestScope, @Args(() => EditArguments) request: EditArguments) {
    return edits.previewEdits(scope, request);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => Job, {
    description:
      'Start a job that edits up to 1,000,000 products. It costs no credits. The products are selected when it starts. `undoProductEdit` undoes it for 30 days.',
  })
  createProductEditJob(@Ctx() scope: RequestScope, @Args(() => EditArguments) request: EditArguments) {
    return edits.createEditJob(scope, request);
  }

  @Mutation(() => Job, {
    description:
      'Start a job that restores what a bulk edit changed. It leaves what others changed since, and says so in its results. The undo of an undo repeats the edit.',
  })
  undoProductEdit(@Ctx() scope: RequestScope, @Id('jobId') jobId: string) {
    return edits.undoEdit(scope, jobId);
  }

  @Query(() => ProductEditResultPage, {
    nullable: true,
    description: 'The products that a bulk edit changed, or left as they are for a reason.',
  })
  productEditResults(
    @Ctx() scope: RequestScope,
    @Args(() => EditResultsArguments) request: EditResultsArguments,
    @Info() info: GraphQLResolveInfo,
  ) {
    return edits.listResults(scope, request, info);
  }
}

@Resolver(() => Job)
export class ProductEditStateResolver {
  @FieldResolver(() => ProductEditState, { nullable: true, description: 'Null for jobs of other kinds.' })
  productEdit(@Ctx() scope: RequestScope, @Root() { id, kind, organizationId }: Job) {
    return kind === 'product-edit' ? edits.stateOf(scope.within(organizationId), id) : null;
  }
}

@Resolver(() => ProductEditResult)
export class ProductEditResultResolver {
  @ListSize(20)
  @FieldResolver(() => [EditedContent])
  changes(@Root() { changes }: ProductEditResult): EditedContent[] {
    return edits.contentsOf(changes);
  }

  @FieldResolver(() => Product, { nullable: true, description: 'Null if the product was deleted.' })
  product(@Ctx() scope: RequestScope, @Root() { productId, organizationId }: ProductEditResult) {
    return scope.within(organizationId).load(Product, productId);
  }
}
