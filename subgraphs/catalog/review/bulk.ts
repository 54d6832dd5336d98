import { readRows, requireAll } from '../../../platform/database/index.ts';
import { listSlice } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { storageFault } from '../../../platform/subgraph/index.ts';
import { codeOf, fail } from '../../../schema/errors.ts';
import { JobItem } from '../jobs/entity.ts';
import { findJob } from '../jobs/service.ts';
import type { Decision, MatchingReview, Review, ReviewFailure, ReviewResult } from './entity.ts';
import { Proposal } from './entity.ts';
import { applyReview, openProposals } from './service.ts';

const ID = ['id'] as const;
const MAX_DECISIONS = 1_000;

/** Reviews several items, each completely or not at all. Throws `NOT_FOUND` with `missingIds` before it changes anything. */
export async function reviewItems(scope: RequestScope, reviews: Review[]): Promise<ReviewResult> {
  const ids = reviews.map(({ itemId }) => itemId);
  if (new Set(ids).size < ids.length) throw fail('INVALID_INPUT', 'reviews must name each item once');
  if (reviews.reduce((sum, { decisions }) => sum + decisions.length, 0) > MAX_DECISIONS)
    throw fail('INVALID_INPUT', `reviews must have at most ${MAX_DECISIONS} decisions`);
  await requireAll(ids, 'Item', (known) => readRows(scope, JobItem, { columns: ID, where: { id: known } }));
  const failures: ReviewFailure[] = [];
  let decided = 0;
  for (const review of reviews) {
    const result = await attempt(scope, review);
    if (typeof result === 'number') decided += result;
    else failures.push(result);
  }
  return { decided, failures, endCursor: null };
}

/** Accepts or rejects values of the review queue in its order. A value that changed in the meantime stays in the queue. */
export async function reviewMatching(scope: RequestScope, request: MatchingReview): Promise<ReviewResult> {
  const { filter, verdict, limit, after } = request;
  if (verdict === 'edit') throw fail('INVALID_INPUT', 'verdict must be accept or reject');
  if (filter.jobId != null) await findJob(scope, filter.jobId);
  const { nodes, endCursor } = await listSlice(scope, Proposal, openProposals(filter), { limit, after });
  const failures: ReviewFailure[] = [];
  let decided = 0;
  for (const [itemId, proposals] of Map.groupBy(nodes, (each) => each.itemId)) {
    const decisions = proposals.map(({ slug }): Decision => ({ slug, verdict }));
    const together = await attempt(scope, { itemId, decisions });
    // One changed value must not keep the others of its item in the queue.
    const results = typeof together === 'number' || decisions.length === 1 ? [together] : await oneByOne(scope, itemId, decisions);
    for (const result of results) {
      if (typeof result === 'number') decided += result;
      else failures.push(result);
    }
  }
  return { decided, failures, endCursor };
}

async function oneByOne(scope: RequestScope, itemId: string, decisions: Decision[]): Promise<(number | ReviewFailure)[]> {
  const results: (number | ReviewFailure)[] = [];
  for (const decision of decisions) results.push(await attempt(scope, { itemId, decisions: [decision] }));
  return results;
}

const EXPECTED = ['CONFLICT', 'UNPROCESSABLE', 'INVALID_INPUT'];

/** Returns the number of decided values, or the reason why the item was not reviewed. Throws unexpected errors. */
async function attempt(scope: RequestScope, review: Review): Promise<number | ReviewFailure> {
  try {
    return (await applyReview(scope, review)).decided;
  } catch (error) {
    const { message: own, extensions } = error as { message: string; extensions?: object };
    // Another transaction may hold a lock that this one needs.
    const [code, message] = storageFault(error) ?? [codeOf({ extensions }), own];
    if (!EXPECTED.includes(code)) throw error;
    const slug = review.decisions.length === 1 ? review.decisions[0]!.slug : null;
    return { itemId: review.itemId, slug, message };
  }
}
