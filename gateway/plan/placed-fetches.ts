import type { FetchNode, PlanNode, ResponsePath } from '@apollo/query-planner';

/** A fetch of a plan, and the path of the objects that it completes. */
export interface PlacedFetch {
  readonly fetch: FetchNode;
  readonly path: ResponsePath;
}

/** Yield every fetch of a plan, in both branches of its conditions. */
export function* fetchesIn(node: PlanNode | undefined, path: ResponsePath = []): Generator<PlacedFetch> {
  switch (node?.kind) {
    case 'Fetch':
      yield { fetch: node, path };
      return;
    case 'Flatten':
      yield* fetchesIn(node.node, [...path, ...node.path]);
      return;
    case 'Sequence':
    case 'Parallel':
      for (const each of node.nodes) yield* fetchesIn(each, path);
      return;
    case 'Condition':
      yield* fetchesIn(node.ifClause, path);
      yield* fetchesIn(node.elseClause, path);
  }
}
