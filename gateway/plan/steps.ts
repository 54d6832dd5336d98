import type { DeferNode, FetchNode, PlanNode, ResponsePath } from '@apollo/query-planner';
import { type GraphQLSchema, getOperationAST, isObjectType, Kind, parse, type SelectionNode, type SelectionSetNode } from 'graphql';
import { fragmentOf, fragmentsOf, isCondition, type Shape } from '../selection.ts';
import type { Compilation, ExecutionState, PlanStep } from './context.ts';
import { compileEntityFetch, compileRootFetch, shapeOfFetch } from './fetch.ts';

/** Compile a plan node and its children into one function. Paths accumulate, so every fetch starts at the root of the data. */
export function compileNode(node: PlanNode, compilation: Compilation, path: ResponsePath = []): PlanStep {
  switch (node.kind) {
    case 'Fetch':
      return reportingEnd(
        [node],
        skipWhenExcluded(
          node.requires ? compileEntityFetch(node, [path], compilation) : compileRootFetch(node, path, compilation),
          node,
          compilation.supergraph,
        ),
      );
    case 'Flatten':
      return compileNode(node.node, compilation, [...path, ...node.path]);
    case 'Sequence':
      return inSequence(node.nodes.map((each) => compileNode(each, compilation, path)));
    case 'Parallel':
      return inParallel(groupEqual(node.nodes).map((group) => compileEqual(group, compilation, path)));
    case 'Condition': {
      const yes = node.ifClause && compileNode(node.ifClause, compilation, path);
      const no = node.elseClause && compileNode(node.elseClause, compilation, path);
      return (run) => (run.variables[node.condition] ? yes : no)?.(run);
    }
    case 'Defer':
      return compileDefer(node, compilation, path);
  }
}

/** Compile the fetches of a first answer and those of its deferred fragments, which begin when the fetches before them have ended. */
function compileDefer({ primary, deferred }: DeferNode, compilation: Compilation, path: ResponsePath): PlanStep {
  const first = primary.node && compileNode(primary.node, compilation, path);
  const parts = deferred.map(({ label, depends, node }) => {
    const step = node && compileNode(node, compilation, path);
    const ids = awaitedIn(node);
    const run = async (run: ExecutionState) => {
      await step?.(run);
      run.deferred!.endAll(ids);
    };
    // Apollo's planner may let a part wait for one of its own fetches.
    const own = new Set([...fetchesIn(node)].map(({ fetch }) => fetch.id));
    return { label: label!, after: depends.map(({ id }) => id).filter((id) => !own.has(id)), run };
  });
  const ids = awaitedIn(primary.node);
  return async (run) => {
    for (const part of parts) run.deferred!.begin(part.label, part.after, (errors) => part.run({ ...run, errors }));
    await first?.(run);
    run.deferred!.endAll(ids);
  };
}

/** The awaited fetches that have ended when the step of a node has. Those of deferred fragments within it run later. */
const awaitedIn = (node: PlanNode | undefined): string[] => [...fetchesIn(node, [], false)].flatMap(({ fetch }) => fetch.id ?? []);

/** Report the end of fetches on which deferred fetches wait. */
function reportingEnd(fetches: readonly FetchNode[], step: PlanStep): PlanStep {
  const ids = fetches.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return step;
  return async (run) => {
    await step(run);
    for (const id of ids) run.deferred?.end(id);
  };
}

/** Compile nodes that differ only in their paths into one step. */
function compileEqual(group: EqualNodes, compilation: Compilation, path: ResponsePath): PlanStep {
  const [first] = group;
  if (group.length === 1) return compileNode(first, compilation, path);
  if (first.kind === 'Sequence') {
    const column = (at: number) => group.map((each) => (each as typeof first).nodes[at]) as unknown as EqualNodes;
    return inSequence(first.nodes.map((_, at) => compileEqual(column(at), compilation, path)));
  }
  const fetches = group.map((node) => entityFetchIn(node)!);
  const { fetch } = fetches[0]!;
  const paths = fetches.map((each) => [...path, ...each.path]);
  const all = fetches.map((each) => each.fetch);
  if (!areNestedShareable(all, paths, compilation.plan))
    return inParallel(group.map((node) => compileNode(node, compilation, path)));
  return reportingEnd(all, skipWhenExcluded(compileEntityFetch(fetch, paths, compilation), fetch, compilation.supergraph));
}

const inSequence =
  (steps: PlanStep[]): PlanStep =>
  async (run) => {
    for (const step of steps) {
      const pending = step(run);
      if (pending) await pending;
    }
  };

const inParallel =
  (steps: PlanStep[]): PlanStep =>
  async (run) => {
    await Promise.all(steps.map((step) => step(run)));
  };

/** Concurrent plan nodes that differ only in the paths of their entities. */
type EqualNodes = readonly [PlanNode, ...PlanNode[]];

/**
 * Group concurrent nodes whose fetches ask a subgraph for the same fields of the same types. One request can serve a group, so an
 * entity type that occurs at several paths costs one request instead of one for each path.
 */
function groupEqual(nodes: readonly PlanNode[]): EqualNodes[] {
  const groups = Map.groupBy(nodes, (node) => keyOf(node) ?? node);
  return [...groups.values()] as unknown as EqualNodes[];
}

/** The fetch and its path, if a node consists of one entity fetch. */
function entityFetchIn(node: PlanNode): { fetch: FetchNode; path: ResponsePath } | undefined {
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

/** The objects that a fetch writes: a plan path without its `@`, and the keys below it. */
interface Write {
  readonly fetch: FetchNode;
  readonly path: readonly string[];
  readonly shape: Shape;
}

/**
 * Whether targets at different paths may share the nested objects of an entity, because no other fetch of the plan writes into them. It could
 * write different values at each path.
 */
function areNestedShareable(fetches: readonly FetchNode[], paths: readonly ResponsePath[], plan: PlanNode | undefined): boolean {
  const nested = [...shapeOfFetch(fetches[0]!)].filter(([, inner]) => inner !== null).map(([key]) => key);
  if (nested.length === 0 || !plan) return true;
  const all = writesByPlan.get(plan) ?? writesOf(plan);
  writesByPlan.set(plan, all);
  const own = new Set(fetches);
  const others = all.filter(({ fetch }) => !own.has(fetch));
  const targets = paths.flatMap((path) => nested.map((key) => [...withoutLists(path), key]));
  return !targets.some((target) => others.some((write) => reaches(write, target)));
}

const writesByPlan = new WeakMap<PlanNode, Write[]>();

const withoutLists = (path: ResponsePath): string[] => path.filter((step) => step !== '@').map(String);

const writesOf = (plan: PlanNode): Write[] =>
  [...fetchesIn(plan)].map(({ fetch, path }) => ({ fetch, path: withoutLists(path), shape: shapeOfFetch(fetch) }));

/** Whether a fetch writes into the objects at a path, or below it. */
function reaches({ path, shape }: Write, target: readonly string[]): boolean {
  const common = Math.min(path.length, target.length);
  for (let at = 0; at < common; at++) if (path[at] !== target[at]) return false;
  let inner: Shape | null | undefined = shape;
  for (const key of target.slice(common)) inner = inner?.get(key);
  return Boolean(inner);
}

/** A fetch of a plan, and the path of the objects that it completes. */
interface PlacedFetch {
  readonly fetch: FetchNode;
  readonly path: ResponsePath;
}

/** Yield every fetch of a plan, in both branches of its conditions, with or without those of deferred fragments. */
export function* fetchesIn(node: PlanNode | undefined, path: ResponsePath = [], withDeferred = true): Generator<PlacedFetch> {
  switch (node?.kind) {
    case 'Fetch':
      yield { fetch: node, path };
      return;
    case 'Flatten':
      yield* fetchesIn(node.node, [...path, ...node.path], withDeferred);
      return;
    case 'Sequence':
    case 'Parallel':
      for (const each of node.nodes) yield* fetchesIn(each, path, withDeferred);
      return;
    case 'Condition':
      yield* fetchesIn(node.ifClause, path, withDeferred);
      yield* fetchesIn(node.elseClause, path, withDeferred);
      return;
    case 'Defer':
      yield* fetchesIn(node.primary.node, path, withDeferred);
      if (withDeferred) for (const part of node.deferred) yield* fetchesIn(part.node, path);
  }
}

/** Variables with the values that they must have. */
type Conditions = readonly { name: string; on: boolean }[];

/**
 * Skip a fetch when its conditions exclude all its fields. Its requirements have the same conditions, so the subgraph would receive
 * incomplete entities.
 */
function skipWhenExcluded(step: PlanStep, node: FetchNode, supergraph: GraphQLSchema): PlanStep {
  const needs = needsOf(node, supergraph);
  // An empty list means that the fetch only checks types or existence.
  if (needs.length === 0 || needs.some((conditions) => conditions.length === 0)) return step;
  const isNeeded = ({ variables }: ExecutionState) =>
    needs.some((need) => need.every(({ name, on }) => (variables[name] === true) === on));
  return (run) => (isNeeded(run) ? step(run) : undefined);
}

/** The conditions of each field in a fetch. */
function needsOf({ operation, requires }: FetchNode, supergraph: GraphQLSchema): Conditions[] {
  const document = parse(operation, { noLocation: true });
  const definition = getOperationAST(document)!;
  const fragments = fragmentsOf(document);
  const needs: Conditions[] = [];
  const collect = ({ selections }: SelectionSetNode, typeName: string, outer: Conditions) => {
    for (const selection of selections) {
      const conditions = [...outer, ...conditionsOf(selection)];
      if (selection.kind === Kind.FIELD) {
        // The type of an object is known without a fetch.
        if (selection.name.value !== '__typename' || !isObjectType(supergraph.getType(typeName))) needs.push(conditions);
        continue;
      }
      const inner = fragmentOf(selection, fragments);
      collect(inner.selectionSet, inner.typeCondition?.name.value ?? typeName, conditions);
    }
  };
  const [first] = definition.selectionSet.selections;
  if (!requires) collect(definition.selectionSet, supergraph.getRootType(definition.operation)!.name, []);
  else if (first?.kind === Kind.FIELD && first.selectionSet) collect(first.selectionSet, '', []);
  return needs;
}

const conditionsOf = ({ directives }: SelectionNode): Conditions =>
  (directives ?? [])
    .filter(isCondition)
    .flatMap(({ name, arguments: [condition] = [] }) =>
      condition?.value.kind === Kind.VARIABLE ? [{ name: condition.value.name.value, on: name.value === 'include' }] : [],
    );
