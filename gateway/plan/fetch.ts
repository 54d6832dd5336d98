import type { FetchNode, ResponsePath } from '@apollo/query-planner';
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
  parse,
  print,
  stripIgnoredCharacters,
  visit,
} from 'graphql';
import { fragmentsOf, type Shape } from '../selection.ts';
import type { SourceRequest, SourceResult } from '../source-contract.ts';
import type { Compilation, Data, ExecutionState, PlanStep } from './context.ts';
import { isObject } from './context.ts';
import { compileMerge, compileRewrites, renamesOf, shapeOfFetch } from './merge.ts';
import { Batch, compileRepresent, compileWalk, divide, locate, type Representations } from './representations.ts';
import {
  addError,
  entityPaths,
  errorPathOf,
  isFull,
  isResult,
  lazy,
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
  const walk = compileWalk(path);
  const atRoot = (inner: ResponsePath) => (inner.length > 0 ? [inner] : [...shape.keys()].map((key) => [key]));

  return async (run) => {
    const targets = new Set<Data>();
    walk(run.data, targets);
    if (targets.size === 0) return;

    const { data, errors } = await send(request(run));
    const outers = lazy(() => [...locate(run.data, path)].map(([, outer]) => outer));
    report(run, errors, (inner) => (path.length === 0 ? atRoot(inner) : outers().map((outer) => [...outer, ...inner])));
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
