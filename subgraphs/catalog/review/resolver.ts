import { Args, Authorized, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { RequestScope } from '../../common/scope.ts';
import { AttributeValueType, ProvenanceType } from '../attributes/value-types.ts';
import { JobItem } from '../jobs/item-entity.ts';
import { Product } from '../products/entity.ts';
import { Proposal } from './entity.ts';
import * as review from './service.ts';
import { ProposalPage, Review, ReviewQueueArguments } from './types.ts';

@Resolver(() => Proposal)
export class ReviewResolver {
  @Authorized('member')
  @Query(() => ProposalPage, { description: 'The values of a job that nobody has reviewed yet, least confident first.' })
  reviewQueue(@Ctx() scope: RequestScope, @Args(() => ReviewQueueArguments) { jobId, ...page }: ReviewQueueArguments) {
    return review.listQueue(scope, jobId, page);
  }

  @Authorized('member')
  @Mutation(() => JobItem, {
    description: 'Accept, edit or reject values that a job item wrote. Fails with `CONFLICT` if a value has changed since then.',
  })
  reviewItem(@Ctx() scope: RequestScope, @Args(() => Review) request: Review) {
    return review.reviewItem(scope, request);
  }

  @FieldResolver(() => AttributeValueType, { nullable: true, description: 'What the product says now.' })
  current(@Ctx() scope: RequestScope, @Root() proposal: Proposal) {
    return review.currentOf(scope, proposal);
  }

  @FieldResolver(() => ProvenanceType, { nullable: true, description: 'Where the proposed value came from.' })
  provenance(@Ctx() scope: RequestScope, @Root() proposal: Proposal) {
    return review.provenanceOf(scope, proposal);
  }

  @FieldResolver(() => Product, { nullable: true, description: 'Null if the product was deleted.' })
  product(@Ctx() scope: RequestScope, @Root() { productId }: Proposal) {
    return scope.load(Product, productId);
  }
}
