import type { GraphQLSchema } from 'graphql';
import { isObjectType } from 'graphql';
import type { Shape } from '../document/shape.ts';
import type { Data } from './run.ts';
import { isInherited, isObject, own } from './run.ts';

/** Merges the result of a fetch into an existing object, in place. */
export type Merge = (target: Data, source: Data) => void;

/**
 * Compile a merge. Selected objects are merged key by key, because several fetches may write parts of them. Leaves are assigned, so
 * a JSON scalar is never merged.
 */
export function compileMerge(shape: Shape, supergraph: GraphQLSchema): Merge {
  const leaves: string[] = [];
  const others: { key: string; inner: Merge | null; inherited: boolean }[] = [];
  for (const [key, inner] of shape) {
    const inherited = isInherited(key);
    if (inner === null && key !== '__typename' && !inherited) leaves.push(key);
    else others.push({ key, inner: inner && compileMerge(inner, supergraph), inherited });
  }
  return (target, source) => {
    for (let at = 0; at < leaves.length; at++) {
      const value = source[leaves[at]!];
      if (value !== undefined) target[leaves[at]!] = value;
    }
    for (let at = 0; at < others.length; at++) {
      const { key, inner, inherited } = others[at]!;
      const value = inherited ? own(source, key) : source[key];
      if (value === undefined) continue;
      // A subgraph with an interface object returns the interface name; keep the known object type.
      if (key === '__typename' && target.__typename && !isObjectType(supergraph.getType(value as string))) continue;
      if (inner === null || !mergeInto(inherited ? own(target, key) : target[key], value, inner)) target[key] = value;
    }
  };
}

/** Merge two values. Returns false when they cannot be merged and the new value must replace the old one. */
function mergeInto(target: unknown, source: unknown, merge: Merge): boolean {
  if (isObject(target) && isObject(source)) {
    merge(target, source);
    return true;
  }
  if (!Array.isArray(target) || !Array.isArray(source) || target.length !== source.length) return false;
  for (let at = 0; at < source.length; at++) {
    if (!mergeInto(target[at], source[at], merge)) target[at] = source[at];
  }
  return true;
}
