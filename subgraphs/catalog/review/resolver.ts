import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { readMostTeaching } from '../acceptance/acceptance-report.ts';
import { AttributeValueType, ProvenanceType } from '../attributes/value-types.ts';
import { Job, JobItem } from '../jobs/entity.ts';
import { Product } from '../products/entity.ts';
import { reviewItems, reviewMatching, undoReviews } from './bulk.ts';
import {
  LearningArguments,
  MatchingReview,
  Proposal,
  ProposalPage,
  Review,
  ReviewedValue,
  ReviewedValues,
  ReviewFailure,
  ReviewQueueArguments,
  ReviewResult,
  ReviewsArguments,
} from './entity.ts';
import * as review from './service.ts';
import { listQueue } from './service.ts';

@Access('member')
@Resolver(() => Proposal)
export class ReviewResolver {
  @Query(() => ProposalPage, { description: 'The values of the organization that nobody has reviewed yet, least confident first.' })
  reviewQueue(
    @Ctx() scope: RequestScope,
    @Args(() => ReviewQueueArguments) { jobId, filter, ...page }: ReviewQueueArguments,
    @Info() info: GraphQLResolveInfo,
  ) {
    return listQueue(scope, { ...filter, ...(jobId != null && { jobId }) }, page, info);
  }

  @ListSize(100)
  @Query(() => [Proposal], {
    description:
      'The values that nobody has reviewed yet whose judgment teaches most: those nearest to the threshold of their attribute, or the highest scores without one.',
  })
  learningQueue(@Ctx() scope: RequestScope, @Args(() => LearningArguments) request: LearningArguments) {
    return readMostTeaching(scope, request);
  }

  @Mutation(() => ReviewResult, {
    description: 'Review several job items. Each item is reviewed completely or not at all; failures do not affect other items.',
  })
  reviewItems(@Ctx() scope: RequestScope, @Args(() => ReviewsArguments) { reviews }: ReviewsArguments) {
    return reviewItems(scope, reviews);
  }

  @Mutation(() => ReviewResult, {
    description:
      'Accept or reject values of the review queue, least confident first. Values that changed after the call began stay in the queue.',
  })
  reviewMatching(@Ctx() scope: RequestScope, @Args(() => MatchingReview) request: MatchingReview) {
    return reviewMatching(scope, request);
  }

  @Mutation(() => ReviewResult, {
    description:
      'Return reviewed values to the queue, with the values and origins that the jobs wrote. Values that have changed since stay reviewed.',
  })
  undoReviews(@Ctx() scope: RequestScope, @Args(() => ReviewedValues) { values }: ReviewedValues) {
    return undoReviews(scope, values);
  }

  @Mutation(() => JobItem, {
    description:
      'Accept, edit or reject values that a job item wrote. Fails with `CONFLICT` if a value has changed since then, or has another verdict.',
  })
  reviewItem(@Ctx() scope: RequestScope, @Args(() => Review) request: Review) {
    return review.reviewItem(scope, request);
  }

  @FieldResolver(() => AttributeValueType, { nullable: true, description: 'The current value of the product.' })
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

  @FieldResolver(() => JobItem, { description: 'The job item that wrote the value.' })
  item(@Ctx() scope: RequestScope, @Root() { itemId }: Proposal) {
    return scope.load(JobItem, itemId);
  }

  @FieldResolver(() => Job, { description: 'The job that wrote the value.' })
  job(@Ctx() scope: RequestScope, @Root() { jobId }: Proposal) {
    return scope.load(Job, jobId);
  }
}

@Resolver(() => ReviewResult)
export class ReviewResultResolver {
  @ListSize(500)
  @FieldResolver(() => [ReviewFailure], { description: 'Values that were not decided, with the reason.' })
  failures(@Root() { failures }: ReviewResult) {
    return failures;
  }

  @ListSize(500)
  @FieldResolver(() => [ReviewedValue], { description: 'The values that this request changed, which `undoReviews` accepts.' })
  values(@Root() { values }: ReviewResult) {
    return values;
  }
}
