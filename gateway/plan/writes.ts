import type { FetchNode, PlanNode, ResponsePath } from '@apollo/query-planner';
import type { Shape } from '../document/shape.ts';
import { shapeOfFetch } from './fetch-shape.ts';
import { fetchesIn } from './placed-fetches.ts';

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
export function areNestedShareable(
  fetches: readonly FetchNode[],
  paths: readonly ResponsePath[],
  plan: PlanNode | undefined,
): boolean {
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
