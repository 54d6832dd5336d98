import { useEffect, useMemo, useState } from 'react';
import { useClient, useMutation } from 'urql';
import type { OpenValueFragment, ReviewQueueQueryVariables } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { showProblem } from '../../parts/overlays.tsx';
import type { Content } from '../../values/format.ts';

graphql(`
  fragment OpenValue on Proposal {
    itemId slug confidence
    proposed { attributeName attributeType value }
    base { attributeType value }
    current { attributeType value }
    provenance { slug sourceKind sourceUrl sourceTitle snippet evidence isNew model }
    product { id name sku }
    job { id kind createdAt }
  }
`);
const QUEUE = graphql(`
  query ReviewQueue($filter: ReviewFilter, $attribute: String, $byLearning: Boolean!) {
    reviewQueue(filter: $filter, limit: 50) { nodes @skip(if: $byLearning) { ...OpenValue } pagination { total } }
    learningQueue(attribute: $attribute, limit: 50) @include(if: $byLearning) { ...OpenValue }
  }
`);
const REVIEW = graphql(`
  mutation Review($reviews: [ItemReview!]!) { reviewItems(reviews: $reviews) { values { itemId slug } failures { itemId slug message } } }
`);
const MATCHING = graphql(`
  mutation ReviewMatching($filter: ReviewFilter!, $verdict: ReviewVerdict!, $after: String) {
    reviewMatching(filter: $filter, verdict: $verdict, limit: 500, after: $after) { values { itemId slug } endCursor failures { message } }
  }
`);

const UNDO = graphql(`
  mutation UndoReviews($values: [ReviewedValueInput!]!) { undoReviews(values: $values) { values { itemId slug } failures { message } } }
`);

export type Proposal = OpenValueFragment;
export type Filter = NonNullable<ReviewQueueQueryVariables['filter']>;
type Verdict = 'accept' | 'edit' | 'reject';

/** Values that one action has decided. */
export type Decided = readonly { itemId: string; slug: string }[];

/** Fewer open values than this load the next ones. */
const LOW = 10;
/** Actions that can be undone, and values of one request. */
const [MAX_UNDO, BATCH] = [50, 500];

export const keyOf = ({ itemId, slug }: { itemId: string; slug: string }): string => `${itemId} ${slug}`;

/** By what the values are sorted: their confidence, or how much their judgment teaches. */
export const orders = ['confidence', 'learning'] as const;
export type Order = (typeof orders)[number];

/** The values to review. A decision takes effect at once. If it fails, its value returns to the queue, and `decide` resolves to false. */
export function useReviewQueue(filter: Filter, order: Order) {
  const byLearning = order === 'learning';
  const query = useQuery({ query: QUEUE, variables: { filter, attribute: filter.attribute ?? null, byLearning } });
  const [{ data, error, fetching, stale }, refetch] = query;
  const [, review] = useMutation(REVIEW);
  const [undoing, takeBack] = useMutation(UNDO);
  const [done, setDone] = useState<readonly Decided[]>([]);
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const nodes = byLearning ? data?.learningQueue : data?.reviewQueue.nodes;
  const open = useMemo(() => nodes?.filter((each) => !decided.has(keyOf(each))), [nodes, decided]);
  const total = data?.reviewQueue.pagination.total ?? 0;

  const [pending, setPending] = useState(0);
  const hasMore = (nodes?.length ?? 0) < total;
  const isLow = open !== undefined && open.length < LOW && hasMore;
  // After a failure, the user decides when to read again.
  const mayRead = pending === 0 && !fetching && !stale && !error;
  useEffect(() => {
    if (isLow && mayRead) refetch({ requestPolicy: 'network-only' });
  }, [isLow, mayRead, refetch]);

  async function decide(proposal: Proposal, verdict: Verdict, value?: Content): Promise<boolean> {
    const key = keyOf(proposal);
    setDecided((before) => new Set(before).add(key));
    setPending((count) => count + 1);
    const decisions = [{ slug: proposal.slug, verdict, ...(verdict === 'edit' && { value: value ?? null }) }];
    // Refetching all queries after each key press would be wasteful.
    const { data: result } = await review({ reviews: [{ itemId: proposal.itemId, decisions }] }, { keep: true });
    setPending((count) => count - 1);
    const [failure] = result?.reviewItems.failures ?? [];
    if (failure) showProblem(failure.message);
    if (!failure && result) {
      record(result.reviewItems.values);
      return true;
    }
    reopen([proposal]);
    return false;
  }

  /** Remembers the values of an action, so that it can be undone. */
  const record = (values: Decided) => values.length > 0 && setDone((before) => [...before, values].slice(-MAX_UNDO));
  const reopen = (values: Decided) =>
    setDecided((before) => {
      const keys = new Set(values.map(keyOf));
      return new Set([...before].filter((each) => !keys.has(each)));
    });

  /** Returns the values of the last action to the queue. Resolves to those that returned. */
  async function undo(): Promise<Decided> {
    const last = done.at(-1);
    if (!last || undoing.fetching) return [];
    const returned: Decided[number][] = [];
    for (let at = 0; at < last.length; at += BATCH) {
      const { data: result } = await takeBack({ values: last.slice(at, at + BATCH) }, { keep: true });
      if (!result) break;
      const { values, failures } = result.undoReviews;
      for (const message of new Set(failures.map((each) => each.message))) showProblem(message);
      returned.push(...values);
    }
    setDone((before) => before.filter((each) => each !== last));
    reopen(returned);
    refetch({ requestPolicy: 'network-only' });
    return returned;
  }
  // A query that was read before a decision still counts its value.
  const left = total - ((nodes?.length ?? 0) - (open?.length ?? 0));
  return { query, open, total: left, hasMore, isDeciding: pending > 0, decide, record, undo: done.length > 0 ? undo : undefined };
}

/** Returns a function that decides all values of a filter until it is aborted. It resolves to them, and whether a call failed. */
export function useReviewMatching() {
  const client = useClient();
  return async (filter: Filter, verdict: 'accept' | 'reject', signal: AbortSignal, onProgress: (decided: number) => void) => {
    const decided: Decided[number][] = [];
    let after: string | null | undefined;
    for (;;) {
      const { data } = await client.mutation(MATCHING, { filter, verdict, after });
      if (!data) return { decided, failed: true };
      const { values, endCursor, failures } = data.reviewMatching;
      for (const message of new Set(failures.map((failure) => failure.message))) showProblem(message);
      decided.push(...values);
      onProgress(decided.length);
      if (!endCursor || signal.aborted) return { decided, failed: false };
      after = endCursor;
    }
  };
}

/** The edited values. A draft stays until it is saved or canceled, also while another value is chosen. */
export function useDrafts() {
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Content>>(new Map());
  const of = (proposal: Proposal) => drafts.get(keyOf(proposal));
  return {
    of,
    has: (proposal: Proposal) => drafts.has(keyOf(proposal)),
    isEdited: (proposal: Proposal) =>
      drafts.has(keyOf(proposal)) && JSON.stringify(of(proposal)) !== JSON.stringify(proposal.proposed.value),
    write: (proposal: Proposal, value: Content) => setDrafts((before) => new Map(before).set(keyOf(proposal), value)),
    drop: (proposal: Proposal) => setDrafts((before) => new Map([...before].filter(([key]) => key !== keyOf(proposal)))),
  };
}
