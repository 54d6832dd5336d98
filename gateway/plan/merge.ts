import type { GraphQLSchema } from 'graphql';
import { isObjectType } from 'graphql';
import type { Shape } from '../document/shape.ts';
import type { Data } from './run.ts';
import { isInherited, isObject, own } from './run.ts';

/** Add what a fetch brought to an object that is already there. The object is written in place. */
export type Merge = (target: Data, source: Data) => void;

/**
 * Selected objects are merged key by key, because several fetches may have written parts of them; leaves are assigned, so
 * the content of a JSON scalar is never looked into.
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
      // A subgraph that knows an interface as an object names the interface, which is less than what is known already.
      if (key === '__typename' && target.__typename && !isObjectType(supergraph.getType(value as string))) continue;
      if (inner === null || !mergeInto(inherited ? own(target, key) : target[key], value, inner)) target[key] = value;
    }
  };
}

/** False when there is nothing to merge into, and the new value takes the place. */
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
