import type { PlanNode, ResponsePath } from '@apollo/query-planner';
import { fail } from '../errors.ts';
import { skipWhenExcluded } from './conditional-fetch.ts';
import { type EqualNodes, entityFetchIn, groupEqual } from './equal-fetches.ts';
import { compileEntityFetch, compileRootFetch } from './fetch.ts';
import type { Step } from './run.ts';
import type { Setting } from './setting.ts';
import { areNestedShareable } from './writes.ts';

/** Compile a plan node and its children into one function. Paths accumulate, so every fetch starts at the root of the data. */
export function compileNode(node: PlanNode, setting: Setting, path: ResponsePath = []): Step {
  switch (node.kind) {
    case 'Fetch':
      return skipWhenExcluded(
        node.requires ? compileEntityFetch(node, [path], setting) : compileRootFetch(node, path, setting),
        node,
        setting.supergraph,
      );
    case 'Flatten':
      return compileNode(node.node, setting, [...path, ...node.path]);
    case 'Sequence':
      return inSequence(node.nodes.map((each) => compileNode(each, setting, path)));
    case 'Parallel':
      return inParallel(groupEqual(node.nodes).map((group) => compileEqual(group, setting, path)));
    case 'Condition': {
      const yes = node.ifClause && compileNode(node.ifClause, setting, path);
      const no = node.elseClause && compileNode(node.elseClause, setting, path);
      return (run) => (run.variables[node.condition] ? yes : no)?.(run);
    }
    case 'Defer':
      throw fail('INVALID_INPUT', '@defer is not supported');
  }
}

/** Compile nodes that differ only in their paths into one step. */
function compileEqual(group: EqualNodes, setting: Setting, path: ResponsePath): Step {
  const [first] = group;
  if (group.length === 1) return compileNode(first, setting, path);
  if (first.kind === 'Sequence') {
    const column = (at: number) => group.map((each) => (each as typeof first).nodes[at]) as unknown as EqualNodes;
    return inSequence(first.nodes.map((_, at) => compileEqual(column(at), setting, path)));
  }
  const fetches = group.map((node) => entityFetchIn(node)!);
  const { fetch } = fetches[0]!;
  const paths = fetches.map((each) => [...path, ...each.path]);
  const all = fetches.map((each) => each.fetch);
  if (!areNestedShareable(all, paths, setting.plan)) return inParallel(group.map((node) => compileNode(node, setting, path)));
  return skipWhenExcluded(compileEntityFetch(fetch, paths, setting), fetch, setting.supergraph);
}

const inSequence =
  (steps: Step[]): Step =>
  async (run) => {
    for (const step of steps) {
      const pending = step(run);
      if (pending) await pending;
    }
  };

const inParallel =
  (steps: Step[]): Step =>
  async (run) => {
    await Promise.all(steps.map((step) => step(run)));
  };
