import type { FetchNode, ResponsePath } from '@apollo/query-planner';
import { parse, print, stripIgnoredCharacters } from 'graphql';
import type { SourceRequest, SourceResult } from '../contract.ts';
import { withoutRootTypes } from '../document/fragments.ts';
import type { Shape } from '../document/shape.ts';
import { Batch, divide, type Representations } from './batch.ts';
import { compileRepresent, compileWalk, locate } from './collect.ts';
import { entityPaths, once } from './entity-paths.ts';
import { addError, isFull, isResult, pathOf, responsePath, translate, unavailable, withinSelection } from './errors.ts';
import { shapeOfFetch } from './fetch-shape.ts';
import { compileMerge } from './merge.ts';
import { compileRewrites, renamesOf } from './rewrite.ts';
import type { Data, Run, Step } from './run.ts';
import { isObject } from './run.ts';
import type { Setting } from './setting.ts';

/** Entities of one request for several paths. Servers limit the size of a request body, often to 100 kB. */
const MAX_COMBINED = 1_000;

/** The common parts of root, entity and subscription fetches: sending a request and handling its result. */
export interface Fetch {
  request(run: Run, representations?: Data[]): SourceRequest;
  send(request: SourceRequest): Promise<SourceResult>;
  /** The keys that the fetch adds to the data. */
  readonly shape: Shape;
  /** Record the errors of a result. `place` maps a path in the subgraph to response paths; `[]` is the whole request. */
  report(run: Run, errors: SourceResult['errors'], place: (path: ResponsePath) => ResponsePath[]): void;
  /** Rename keys and types of the result to those of the supergraph. */
  rewrite(data: Data): void;
  merge(target: Data, data: Data): void;
}

export function compileRequest(
  node: FetchNode,
  { sources, supergraph, selection, responseKey, verbatim, onFault }: Setting,
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

  const variablesOf = (run: Run, representations?: Data[]): Data => {
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
      if (signal?.aborted || budget?.refusal) return { errors: [unavailable(subgraph)] };
      try {
        const result = await source.execute(request);
        onCacheControl?.(result?.cacheControl);
        if (isResult(result) && (isObject(result.data) || result.errors?.length)) return result;
        onFault?.(subgraph, new TypeError('The answer is no GraphQL result'));
      } catch (error) {
        // An aborted request is not a fault of the subgraph.
        if (!signal?.aborted && !budget?.refusal) onFault?.(subgraph, error);
      }
      return { errors: [unavailable(subgraph)] };
    },

    report(run, errors, place) {
      for (const error of errors ?? []) {
        if (isFull(run)) return;
        const paths = place(pathOf(error).map((step) => renames.get(step as string) ?? step));
        if (paths.length === 0 && !addError(run, translate(error, undefined, isVerbatim))) return;
        for (const path of paths)
          if (!addError(run, translate(error, responsePath(withinSelection(path, selection), responseKey), isVerbatim))) return;
      }
    },

    rewrite: compileRewrites(node.outputRewrites, supergraph),
    merge: compileMerge(shape, supergraph),
  };
}

/** Compile a fetch from the root of a subgraph. Its result is merged into every object at the path (`payload { query { … } }`). */
export function compileRootFetch(node: FetchNode, path: ResponsePath, setting: Setting): Step {
  const { shape, request, send, report, rewrite, merge } = compileRequest(node, setting, path);
  const walk = compileWalk(path);
  const atRoot = (inner: ResponsePath) => (inner.length > 0 ? [inner] : [...shape.keys()].map((key) => [key]));

  return async (run) => {
    const targets = new Set<Data>();
    walk(run.data, targets);
    if (targets.size === 0) return;

    const { data, errors } = await send(request(run));
    const outers = once(() => [...locate(run.data, path)].map(([, outer]) => outer));
    report(run, errors, (inner) => (path.length === 0 ? atRoot(inner) : outers().map((outer) => [...outer, ...inner])));
    if (!data) return;
    rewrite(data);
    for (const target of targets) merge(target, data);
  };
}

/** Compile an entity fetch: collect and deduplicate the representations at all paths, fetch the entities, merge each into all its targets. */
export function compileEntityFetch(node: FetchNode, paths: readonly ResponsePath[], setting: Setting): Step {
  const { request, send, report, rewrite, merge } = compileRequest(node, setting, paths[0]);
  const walks = paths.map(compileWalk);
  const represent = compileRepresent(node.requires!, setting.supergraph);
  const rewriteInput = compileRewrites(node.inputRewrites, setting.supergraph);
  // A single fragment always holds a complete key; with several, a type can lack one.
  const isKeyed = node.requires!.length > 1 ? compileIsKeyed(node.serviceName, setting) : () => true;

  const fetchEntities = async (run: Run, batch: Representations) => {
    const { representations, targets, places } = batch;
    const { data, errors } = await send(request(run, representations));
    if (errors?.length) report(run, errors, entityPaths(run.data, paths, batch));

    const received = data?._entities;
    if (!Array.isArray(received) || received.length !== representations.length) {
      if (errors?.length) return;
      setting.onFault?.(node.serviceName, new TypeError('The answer does not hold the entities that were asked for'));
      report(run, [unavailable(node.serviceName)], entityPaths(run.data, paths, batch));
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

function compileIsKeyed(subgraph: string, { keysOf }: Setting): (representation: Data) => boolean {
  return (representation) => {
    const keys = keysOf(subgraph, String(representation.__typename));
    return keys.some((key) => key.every((name) => representation[name] !== undefined));
  };
}
