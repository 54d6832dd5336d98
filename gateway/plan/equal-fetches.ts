import type { FetchNode, PlanNode, ResponsePath } from '@apollo/query-planner';

/** Concurrent plan nodes that differ only in the paths of their entities. */
export type EqualNodes = readonly [PlanNode, ...PlanNode[]];

/**
 * Group concurrent nodes whose fetches ask a subgraph for the same fields of the same types. One request can serve a group, so an
 * entity type that occurs at several paths costs one request instead of one for each path.
 */
export function groupEqual(nodes: readonly PlanNode[]): EqualNodes[] {
  const groups = Map.groupBy(nodes, (node) => keyOf(node) ?? node);
  return [...groups.values()] as unknown as EqualNodes[];
}

/** The fetch and its path, if a node consists of one entity fetch. */
export function entityFetchIn(node: PlanNode): { fetch: FetchNode; path: ResponsePath } | undefined {
  if (node.kind !== 'Flatten' || node.node.kind !== 'Fetch' || !node.node.requires) return undefined;
  return { fetch: node.node, path: node.path };
}

/** Equal for nodes that differ only in paths and operation names; undefined for nodes that are not grouped. */
function keyOf(node: PlanNode): string | undefined {
  if (node.kind === 'Sequence') {
    const keys = node.nodes.map(keyOf);
    return keys.every((key) => key !== undefined) ? JSON.stringify(['Sequence', ...keys]) : undefined;
  }
  const fetch = entityFetchIn(node)?.fetch;
  if (!fetch) return undefined;
  const { operation, operationName: _, id: __, ...rest } = fetch;
  return JSON.stringify([operation.replace(/^query \w+/, 'query'), rest]);
}
