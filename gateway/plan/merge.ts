import type { FetchDataRewrite, FetchNode } from '@apollo/query-planner';
import { type DocumentNode, type GraphQLSchema, isObjectType, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { fragmentsOf, isOfType, type Shape, shapeOf } from '../selection.ts';
import { type Data, isInherited, isObject, own } from './context.ts';

type Rewrite = (data: Data) => void;

type Visit = (value: unknown) => void;

const fragment = '... on ';

/**
 * Compile the rewrites of a fetch. They undo the aliases of fields that conflict in one subgraph, and the changed `__typename` of
 * interface objects.
 */
export function compileRewrites(rewrites: readonly FetchDataRewrite[] | undefined, supergraph: GraphQLSchema): Rewrite {
  if (!rewrites?.length) return () => {};
  const visits = rewrites.map((rewrite) => compileVisit(rewrite, supergraph));
  return (data) => {
    for (const visit of visits) visit(data);
  };
}

function compileVisit(rewrite: FetchDataRewrite, supergraph: GraphQLSchema): Visit {
  const change = changeOf(rewrite);
  return rewrite.path.slice(0, -1).reduceRight<Visit>((next, step) => {
    if (!step.startsWith(fragment)) return objects((object) => next(own(object, step)));
    const condition = step.slice(fragment.length);
    // Without `__typename` the object matches, because the planner did not need to distinguish types.
    return objects((object) => {
      if (!object.__typename || isOfType(supergraph, object.__typename, condition)) next(object);
    });
  }, objects(change));
}

function changeOf(rewrite: FetchDataRewrite): Rewrite {
  const key = rewrite.path.at(-1)!;
  if (rewrite.kind === 'ValueSetter') {
    return (object) => {
      object[key] = rewrite.setValueTo;
    };
  }
  return (object) => {
    const value = own(object, key);
    if (value === undefined) return;
    object[rewrite.renameKeyTo] = value;
    object[key] = undefined;
  };
}

/** Visit the objects in a value, including nested lists. */
function objects(visit: Rewrite): Visit {
  const each: Visit = (value) => {
    if (Array.isArray(value)) value.forEach(each);
    else if (typeof value === 'object' && value !== null) visit(value as Data);
  };
  return each;
}

/** The keys that a subgraph returns, with their names after the rewrites. */
export const renamesOf = (rewrites: readonly FetchDataRewrite[] | undefined): ReadonlyMap<string, string> =>
  new Map(rewrites?.flatMap((each) => (each.kind === 'KeyRenamer' ? [[each.path.at(-1)!, each.renameKeyTo] as const] : [])));

/** Merges the result of a fetch into an existing object, in place. */
type Merge = (target: Data, source: Data) => void;

/**
 * Compile a merge. Selected objects are merged key by key, because several fetches may write parts of them. Leaves are assigned, so
 * a JSON scalar is never merged.
 * @param keepsValues whether a fetch does not replace the values of others, which the caller may already have
 */
export function compileMerge(shape: Shape, supergraph: GraphQLSchema, keepsValues = false): Merge {
  const leaves: string[] = [];
  const others: { key: string; inner: Merge | null; inherited: boolean }[] = [];
  for (const [key, inner] of shape) {
    const inherited = isInherited(key);
    if (inner === null && key !== '__typename' && !inherited) leaves.push(key);
    else others.push({ key, inner: inner && compileMerge(inner, supergraph, keepsValues), inherited });
  }
  return (target, source) => {
    for (let at = 0; at < leaves.length; at++) {
      const value = source[leaves[at]!];
      if (value !== undefined && !(keepsValues && target[leaves[at]!] !== undefined)) target[leaves[at]!] = value;
    }
    for (let at = 0; at < others.length; at++) {
      const { key, inner, inherited } = others[at]!;
      const value = inherited ? own(source, key) : source[key];
      if (value === undefined) continue;
      // A subgraph with an interface object returns the interface name; keep the known object type.
      if (key === '__typename' && target.__typename && !isObjectType(supergraph.getType(value as string))) continue;
      if (inner === null || !mergeInto(inherited ? own(target, key) : target[key], value, inner, keepsValues)) target[key] = value;
    }
  };
}

/** Merge two values. Returns false when they cannot be merged and the new value must replace the old one. */
function mergeInto(target: unknown, source: unknown, merge: Merge, keepsValues: boolean): boolean {
  if (isObject(target) && isObject(source)) {
    merge(target, source);
    return true;
  }
  if (!Array.isArray(target) || !Array.isArray(source) || target.length !== source.length)
    return keepsValues && target !== undefined;
  for (let at = 0; at < source.length; at++) {
    if (!mergeInto(target[at], source[at], merge, keepsValues)) target[at] = source[at];
  }
  return true;
}

const shapes = new WeakMap<FetchNode, Shape>();

/** The keys that a fetch adds to each of its targets, after the rewrites of its result. */
export function shapeOfFetch(node: FetchNode, document?: DocumentNode): Shape {
  const known = shapes.get(node) ?? computeShape(node, document ?? parse(node.operation, { noLocation: true }));
  shapes.set(node, known);
  return known;
}

function computeShape({ requires, outputRewrites }: FetchNode, document: DocumentNode): Shape {
  const operation = document.definitions.find((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION)!;
  const shape = shapeOf(operation.selectionSet, fragmentsOf(document));
  return withRenamedKeys(requires ? shape.get('_entities')! : shape, renamesOf(outputRewrites));
}

/** Add the renamed keys to the shape, because merging runs after the rewrites. */
function withRenamedKeys(shape: Shape, renames: ReadonlyMap<string, string>, into: Shape = new Map()): Shape {
  for (const [key, inner] of shape) {
    for (const name of [key, renames.get(key)]) {
      if (name !== undefined) into.set(name, inner && withRenamedKeys(inner, renames, into.get(name) ?? new Map()));
    }
  }
  return into;
}
