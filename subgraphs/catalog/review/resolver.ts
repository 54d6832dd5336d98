import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { readRows, requireAll } from '../../../platform/database/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize, listSlice } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { storageFault } from '../../../platform/subgraph/index.ts';
import { codeOf, fail } from '../../../schema/errors.ts';
import { readMostTeaching } from '../acceptance/acceptance-report.ts';
import { AttributeValueType, ProvenanceType } from '../attributes/value-types.ts';
import { Job, JobItem } from '../jobs/entity.ts';
import { findJob } from '../jobs/service.ts';
import { Product } from '../products/entity.ts';
import {
  type Decision,
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
import { applyReview, listQueue, openProposals, undoReview } from './service.ts';

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

const ID = ['id'] as const;
const MAX_DECISIONS = 1_000;

/** Reviews several items, each completely or not at all. Throws `NOT_FOUND` with `missingIds` before it changes anything. */
async function reviewItems(scope: RequestScope, reviews: Review[]): Promise<ReviewResult> {
  const ids = reviews.map(({ itemId }) => itemId);
  if (new Set(ids).size < ids.length) throw fail('INVALID_INPUT', 'reviews must name each item once');
  if (reviews.reduce((sum, { decisions }) => sum + decisions.length, 0) > MAX_DECISIONS)
    throw fail('INVALID_INPUT', `reviews must have at most ${MAX_DECISIONS} decisions`);
  await requireAll(ids, 'Item', (known) => readRows(scope, JobItem, { columns: ID, where: { id: known } }));
  const results: Attempt[] = [];
  for (const { itemId, decisions } of reviews) results.push(await attempt(scope, itemId, decisions, decideAs('review')));
  return resultOf(results);
}

/** Accepts or rejects values of the review queue in its order. A value that changed in the meantime stays in the queue. */
async function reviewMatching(scope: RequestScope, request: MatchingReview): Promise<ReviewResult> {
  const { filter, verdict, limit, after } = request;
  if (verdict === 'edit') throw fail('INVALID_INPUT', 'verdict must be accept or reject');
  if (filter.jobId != null) await findJob(scope, filter.jobId);
  const { nodes, endCursor } = await listSlice(scope, Proposal, openProposals(filter), { limit, after });
  const results: Attempt[] = [];
  for (const [itemId, proposals] of Map.groupBy(nodes, (each) => each.itemId)) {
    const decisions = proposals.map(({ slug }): Decision => ({ slug, verdict, overrule: false }));
    results.push(...(await attemptAll(scope, itemId, decisions, decideAs('bulk'))));
  }
  return { ...resultOf(results), endCursor };
}

/** Returns reviewed values to the queue. A value that changed since its review stays as it is. */
async function undoReviews(scope: RequestScope, values: readonly ReviewedValue[]): Promise<ReviewResult> {
  const byItem = Map.groupBy(values, ({ itemId }) => itemId);
  await requireAll([...byItem.keys()], 'Item', (known) => readRows(scope, JobItem, { columns: ID, where: { id: known } }));
  const results: Attempt[] = [];
  for (const [itemId, of] of byItem) results.push(...(await attemptAll(scope, itemId, of, undo)));
  return resultOf(results);
}

type Action<Value> = (scope: RequestScope, itemId: string, values: Value[]) => Promise<string[]>;
const decideAs =
  (kind: 'review' | 'bulk'): Action<Decision> =>
  async (scope, itemId, decisions) =>
    (await applyReview(scope, { itemId, decisions }, kind)).decided;
const undo: Action<{ slug: string }> = (scope, itemId, values) =>
  undoReview(scope, itemId, [...new Set(values.map(({ slug }) => slug))]);

/** The changed values of an item, or the reason why none was changed. */
type Attempt = ReviewedValue[] | ReviewFailure;

function resultOf(results: readonly Attempt[]): ReviewResult {
  const values = results.flatMap((result) => (Array.isArray(result) ? result : []));
  return {
    decided: values.length,
    values,
    failures: results.flatMap((result) => (Array.isArray(result) ? [] : result)),
    endCursor: null,
  };
}

/** Changes the values of an item. One that cannot be changed does not keep the others from it. */
async function attemptAll<Value extends { slug: string }>(
  scope: RequestScope,
  itemId: string,
  values: Value[],
  action: Action<Value>,
): Promise<Attempt[]> {
  const together = await attempt(scope, itemId, values, action);
  if (Array.isArray(together) || values.length === 1) return [together];
  const results: Attempt[] = [];
  for (const value of values) results.push(await attempt(scope, itemId, [value], action));
  return results;
}

const EXPECTED = ['CONFLICT', 'UNPROCESSABLE', 'INVALID_INPUT'];

/** Changes all of these values or none. Throws unexpected errors. */
async function attempt<Value extends { slug: string }>(
  scope: RequestScope,
  itemId: string,
  values: Value[],
  action: Action<Value>,
): Promise<Attempt> {
  try {
    return (await action(scope, itemId, values)).map((slug) => ({ itemId, slug }));
  } catch (error) {
    const { message: own, extensions } = error as { message: string; extensions?: object };
    // Another transaction may hold a lock that this one needs.
    const [code, message] = storageFault(error) ?? [codeOf({ extensions }), own];
    if (!EXPECTED.includes(code)) throw error;
    const slug = values.length === 1 ? values[0]!.slug : null;
    return { itemId, slug, message };
  }
}
