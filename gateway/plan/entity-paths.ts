import type { ResponsePath } from '@apollo/query-planner';
import type { Representations } from './batch.ts';
import { locate } from './collect.ts';
import type { Data } from './run.ts';

/** Compute a value at its first use. A result can hold thousands of errors, but usually holds none. */
export function once<T>(compute: () => T): () => T {
  let computed: { value: T } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}

/** Map the path of an error in an entity fetch to the response paths of its entity, or of all entities if it names none. */
export function entityPaths(
  data: Data,
  paths: readonly ResponsePath[],
  batch: Representations,
): (path: ResponsePath) => ResponsePath[] {
  const byPlace = once(() => pathsByPlace(data, paths, batch));
  const ofAll = once(() => (paths.length === 1 ? paths.map(beforeList) : reached(data, paths, batch.targets)));
  return ([, place, ...inner]) => {
    if (typeof place !== 'number') return ofAll();
    return (byPlace().get(place) ?? []).map((outer) => [...outer, ...inner]);
  };
}

/** The response paths of the targets of each representation. */
function pathsByPlace(
  data: Data,
  paths: readonly ResponsePath[],
  { targets, places }: Representations,
): Map<number, ResponsePath[]> {
  const placeOf = new Map(targets.map((target, at) => [target, places[at]!]));
  const byPlace = new Map<number, ResponsePath[]>();
  for (const path of paths) {
    for (const [entity, outer] of locate(data, path)) {
      const place = placeOf.get(entity);
      if (place === undefined) continue;
      const known = byPlace.get(place);
      if (known) known.push(outer);
      else byPlace.set(place, [outer]);
    }
  }
  return byPlace;
}

/** The parts before the first list of the paths that lead to a target, each once. */
function reached(data: Data, paths: readonly ResponsePath[], targets: readonly Data[]): ResponsePath[] {
  const all = new Set(targets);
  const used = paths.filter((path) => locate(data, path).some(([entity]) => all.has(entity))).map(beforeList);
  return [...new Map(used.map((path) => [JSON.stringify(path), path])).values()];
}

/** The part of a plan path before its first list. */
function beforeList(path: ResponsePath): ResponsePath {
  const at = path.indexOf('@');
  return at === -1 ? path : path.slice(0, at);
}
