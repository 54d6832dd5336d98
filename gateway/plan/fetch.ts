import type { FetchDataRewrite, FetchNode, ResponsePath } from '@apollo/query-planner';
import {
  type DocumentNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  stripIgnoredCharacters,
  visit,
} from 'graphql';
import { fragmentsOf, isOfType, type Shape, shapeOf } from '../selection.ts';
import type { SourceRequest, SourceResult } from '../source-contract.ts';
import { type Compilation, type Data, type ExecutionState, isInherited, isObject, own, type PlanStep } from './context.ts';
import { Batch, compileRepresent, compileWalk, divide, locate, type Representations } from './representations.ts';
import {
  addError,
  entityPaths,
  errorPathOf,
  isFull,
  responsePath,
  translate,
  unavailableError,
  withinSelection,
} from './subgraph-errors.ts';

/** Entities of one request for several paths. Servers limit the size of a request body, often to 100 kB. */
const MAX_COMBINED = 1_000;

/** The common parts of root, entity and subscription fetches: sending a request and handling its result. */
export interface Fetch {
  request(run: ExecutionState, representations?: Data[]): SourceRequest;
  send(request: SourceRequest): Promise<SourceResult>;
  /** The keys that the fetch adds to the data. */
  readonly shape: Shape;
  /** Record the errors of a result. `place` maps a path in the subgraph to response paths; `[]` is the whole request. */
  report(run: ExecutionState, errors: SourceResult['errors'], place: (path: ResponsePath) => ResponsePath[]): void;
  /** Rename keys and types of the result to those of the supergraph. */
  rewrite(data: Data): void;
  merge(target: Data, data: Data): void;
}

export function compileRequest(
  node: FetchNode,
  { sources, supergraph, selection, responseKey, verbatim, onFault, isDeferring }: Compilation,
  path: ResponsePath = [],
): Fetch {
  const { serviceName: subgraph, operation: planned, variableUsages: names = [] } = node;
  const parsed = parse(planned, { noLocation: true });
  const shape = shapeOfFetch(node, parsed);
  const document = withoutRootTypes(parsed, supergraph);
  const text = stripIgnoredCharacters(print(document));
  const source = sources[subgraph]!;
  const renames = renamesOf(node.outputRewrites);
  const isVerbatim = verbatim.has(subgraph);
  const noVariables = Object.freeze({});

  const variablesOf = (run: ExecutionState, representations?: Data[]): Data => {
    if (names.length === 0 && !representations) return noVariables;
    const variables: Data = {};
    for (const name of names) if (run.variables[name] !== undefined) variables[name] = run.variables[name];
    if (representations) variables.representations = representations;
    return variables;
  };

  return {
    shape,
    request: (run, representations) => ({
      document,
      text,
      variables: variablesOf(run, representations),
      context: run.context,
      path,
    }),

    async send(request) {
      const { signal, budget, onCacheControl } = request.context;
      // The caller disconnected, the operation timed out, or the response exceeds its budget.
      if (signal?.aborted || budget?.refusal) return { errors: [unavailableError(subgraph)] };
      try {
        const result = await source.execute(request);
        onCacheControl?.(result?.cacheControl);
        if (isResult(result) && (isObject(result.data) || result.errors?.length)) return result;
        onFault?.(subgraph, new TypeError('The subgraph response is not a GraphQL result'));
      } catch (error) {
        // An aborted request is not a fault of the subgraph.
        if (!signal?.aborted && !budget?.refusal) onFault?.(subgraph, error);
      }
      return { errors: [unavailableError(subgraph)] };
    },

    report(run, errors, place) {
      for (const error of errors ?? []) {
        if (isFull(run)) return;
        const paths = place(errorPathOf(error).map((step) => renames.get(step as string) ?? step));
        if (paths.length === 0 && !addError(run, translate(error, undefined, isVerbatim))) return;
        for (const path of paths)
          if (!addError(run, translate(error, responsePath(withinSelection(path, selection), responseKey), isVerbatim))) return;
      }
    },

    rewrite: compileRewrites(node.outputRewrites, supergraph),
    merge: compileMerge(shape, supergraph, isDeferring),
  };
}

/** Compile a fetch from the root of a subgraph. Its result is merged into every object at the path (`payload { query { … } }`). */
export function compileRootFetch(node: FetchNode, path: ResponsePath, compilation: Compilation): PlanStep {
  const { shape, request, send, report, rewrite, merge } = compileRequest(node, compilation, path);
  const isRoot = path.length === 0;
  const walk = compileWalk(path);
  const atRoot = (inner: ResponsePath) => (inner.length > 0 ? [inner] : [...shape.keys()].map((key) => [key]));

  return async (run) => {
    const targets = new Set<Data>();
    if (isRoot) targets.add(run.data);
    else walk(run.data, targets);
    if (targets.size === 0) return;

    const { data, errors } = await send(request(run));
    if (errors?.length) {
      const outers = isRoot ? [] : [...locate(run.data, path)].map(([, outer]) => outer);
      report(run, errors, (inner) => (isRoot ? atRoot(inner) : outers.map((outer) => [...outer, ...inner])));
    }
    if (!data) return;
    rewrite(data);
    for (const target of targets) merge(target, data);
  };
}

/** Compile an entity fetch: collect and deduplicate the representations at all paths, fetch the entities, merge each into all its targets. */
export function compileEntityFetch(node: FetchNode, paths: readonly ResponsePath[], compilation: Compilation): PlanStep {
  const { request, send, report, rewrite, merge } = compileRequest(node, compilation, paths[0]);
  const walks = paths.map(compileWalk);
  const represent = compileRepresent(node.requires!, compilation.supergraph);
  const rewriteInput = compileRewrites(node.inputRewrites, compilation.supergraph);
  // A single fragment always holds a complete key; with several, a type can lack one.
  const isKeyed = node.requires!.length > 1 ? compileIsKeyed(node.serviceName, compilation) : () => true;

  const fetchEntities = async (run: ExecutionState, batch: Representations) => {
    const { representations, targets, places } = batch;
    const { data, errors } = await send(request(run, representations));
    if (errors?.length) report(run, errors, entityPaths(run.data, paths, batch));

    const received = data?._entities;
    if (!Array.isArray(received) || received.length !== representations.length) {
      if (errors?.length) return;
      compilation.onFault?.(node.serviceName, new TypeError('The subgraph response does not contain the requested entities'));
      report(run, [unavailableError(node.serviceName)], entityPaths(run.data, paths, batch));
      return;
    }
    if (node.outputRewrites) {
      for (const [place, entity] of received.entries()) {
        if (!isObject(entity)) continue;
        // Rewrites match on `__typename`, which not every fetch selects.
        entity.__typename ??= batch.firstTargets[place]!.__typename;
        rewrite(entity);
      }
    }
    for (let at = 0; at < targets.length; at++) {
      const entity = received[places[at]!];
      if (!isObject(entity)) continue;
      merge(targets[at]!, entity);
    }
  };

  return (run) => {
    const found = new Set<Data>();
    for (const walk of walks) walk(run.data, found);
    const batch = new Batch(found, represent, rewriteInput, isKeyed);
    const count = batch.representations.length;
    if (count === 0) return undefined;
    if (count <= MAX_COMBINED || walks.length === 1) return fetchEntities(run, batch);
    return Promise.all(divide(batch, MAX_COMBINED).map((part) => fetchEntities(run, part))).then(() => {});
  };
}

function compileIsKeyed(subgraph: string, { keysOf }: Compilation): (representation: Data) => boolean {
  return (representation) => {
    const keys = keysOf(subgraph, String(representation.__typename));
    return keys.some((key) => key.every((name) => representation[name] !== undefined));
  };
}

/** Whether a subgraph, which may answer anything, answered a GraphQL result. */
export const isResult = (answer: unknown): answer is SourceResult =>
  isObject(answer) && (answer.errors == null ? isObject(answer.data) : Array.isArray(answer.errors));

/** Remove type conditions on root types, because a subgraph may name its root types differently. */
function withoutRootTypes(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  const roots = new Set(Object.values(OperationTypeNode).map((operation) => schema.getRootType(operation)?.name));
  const ofRoots = new Map([...fragmentsOf(document)].filter(([, { typeCondition }]) => roots.has(typeCondition.name.value)));
  return visit(document, {
    InlineFragment: (fragment) =>
      roots.has(fragment.typeCondition?.name.value) ? { ...fragment, typeCondition: undefined } : undefined,
    FragmentSpread({ name, directives }) {
      const fragment = ofRoots.get(name.value);
      return fragment && { kind: Kind.INLINE_FRAGMENT, directives, selectionSet: fragment.selectionSet };
    },
    FragmentDefinition: ({ name }) => (ofRoots.has(name.value) ? null : undefined),
  });
}

type Rewrite = (data: Data) => void;

type Visit = (value: unknown) => void;

const fragment = '... on ';

/**
 * Compile the rewrites of a fetch. They undo the aliases of fields that conflict in one subgraph, and the changed `__typename` of
 * interface objects.
 */
function compileRewrites(rewrites: readonly FetchDataRewrite[] | undefined, supergraph: GraphQLSchema): Rewrite {
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
const renamesOf = (rewrites: readonly FetchDataRewrite[] | undefined): ReadonlyMap<string, string> =>
  new Map(rewrites?.flatMap((each) => (each.kind === 'KeyRenamer' ? [[each.path.at(-1)!, each.renameKeyTo] as const] : [])));

/** Merges the result of a fetch into an existing object, in place. */
type Merge = (target: Data, source: Data) => void;

/**
 * Compile a merge. Selected objects are merged key by key, because several fetches may write parts of them. Leaves are assigned, so
 * a JSON scalar is never merged.
 * @param keepsValues whether a fetch does not replace the values of others, which the caller may already have
 */
function compileMerge(shape: Shape, supergraph: GraphQLSchema, keepsValues = false): Merge {
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
