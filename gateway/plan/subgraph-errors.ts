import type { ResponsePath } from '@apollo/query-planner';
import type { GraphQLFormattedError } from 'graphql';
import { fail, markVerbatim } from '../gateway-error.ts';
import type { Shape } from '../selection.ts';
import { type Data, type ExecutionState, isObject } from './context.ts';
import { locate, type Representations } from './representations.ts';

/** The error of a subgraph that did not answer. The log holds the cause; callers do not see it. */
export const unavailableError = (subgraph: string): GraphQLFormattedError =>
  fail('UNAVAILABLE', `The ${subgraph} service cannot be reached. Try again shortly.`).toJSON();

/** An error of an entity is reported at each of its places, so few errors of a subgraph can become millions. */
const MAX_ERRORS = 1_000;

export const isFull = ({ errors }: ExecutionState): boolean => errors.length > MAX_ERRORS;

/** Add an error to the response. Returns false at the limit, after an error that says that further ones are omitted. */
export function addError(run: ExecutionState, error: GraphQLFormattedError): boolean {
  const { errors } = run;
  if (errors.length < MAX_ERRORS) errors.push(error);
  else if (!isFull(run)) errors.push(fail('LIMIT_REACHED', 'Further errors are omitted').toJSON());
  return !isFull(run);
}

/** The path of a subgraph error; empty when the error or its path is not as GraphQL defines it. */
export const errorPathOf = (error: unknown): ResponsePath => (isObject(error) && Array.isArray(error.path) ? error.path : []);

/**
 * Convert a subgraph error for the caller: keep message and code, set the response path, remove stack traces.
 * @param verbatim do not let the server mask unknown codes
 */
export function translate(error: unknown, path: ResponsePath | undefined, verbatim = false): GraphQLFormattedError {
  const { message, extensions: given } = isObject(error) ? error : {};
  const {
    stacktrace: _,
    exception: __,
    ...extensions
  }: Record<string, unknown> = { code: 'INTERNAL_SERVER_ERROR', ...(isObject(given) && given) };
  return {
    message: (typeof message === 'string' && message) || 'The request failed',
    ...(path?.length && { path }),
    extensions: verbatim ? markVerbatim(extensions) : extensions,
  };
}

/** Truncate a path at the caller's selection, because keys and `@requires` fields of the plan are not part of the response. */
export function withinSelection(path: ResponsePath, selection: Shape): ResponsePath {
  let shape: Shape | null | undefined = selection;
  const end = path.findIndex((step) => {
    if (Number.isInteger(step)) return false;
    if (typeof step !== 'string' || !shape?.has(step)) return true;
    shape = shape.get(step);
    return false;
  });
  return end === -1 ? path : path.slice(0, end);
}

/** Convert a path of the fetched data to a response path. */
export const responsePath = (path: ResponsePath, responseKey: (key: string) => string): ResponsePath =>
  path.map((step) => (typeof step === 'string' ? responseKey(step) : step));

/** Truncate an error path to what the response contains, because conditions may have excluded the rest. */
function withinResponse(error: GraphQLFormattedError, response: unknown): GraphQLFormattedError {
  let value = response;
  const end = (error.path ?? []).findIndex((step) => {
    if (typeof value === 'object' && value !== null) value = (value as Record<string | number, unknown>)[step];
    return value === undefined;
  });
  if (end === -1) return error;
  const { path, ...rest } = error;
  return end === 0 ? rest : { ...rest, path: path!.slice(0, end) };
}

type Path = readonly (string | number)[];

/** A part of a response, or the whole of it. */
export interface Shown {
  path: Path;
  data: unknown;
  /** Whether a part that follows contains a path. */
  isLater(path: Path): boolean;
}

/** The places of parts. Each error is looked up, because there can be many of both. */
export type Places = ReadonlySet<string>;

export const placesOf = (paths: Iterable<Path>): Places => new Set(Iterator.from(paths).map((path) => JSON.stringify(path)));

/** Whether a path leads into one of the parts. */
export function isBelow(path: Path, places: Places): boolean {
  for (let length = path.length; length >= 0; length--) if (places.has(JSON.stringify(path.slice(0, length)))) return true;
  return false;
}

/** Divide errors into those of a part, with their paths truncated to what it contains, and those of fields that only a later part contains. */
export function divideErrors(errors: readonly GraphQLFormattedError[], shown: Shown) {
  const [now, later]: [GraphQLFormattedError[], GraphQLFormattedError[]] = [[], []];
  for (const error of errors) {
    const { path = [] } = error;
    const truncated = withinPart(error, shown);
    const isTruncated = (truncated.path?.length ?? 0) < path.length;
    if (isTruncated && shown.isLater(path)) later.push(error);
    else now.push(truncated);
  }
  return { now, later };
}

function withinPart(error: GraphQLFormattedError, { path, data }: Shown): GraphQLFormattedError {
  if (path.length === 0 || !error.path || error.path.length <= path.length) return withinResponse(error, data);
  const inner = withinResponse({ ...error, path: error.path.slice(path.length) }, data);
  return { ...error, path: [...path, ...(inner.path ?? [])] };
}

/** Compute a value at its first use. A result can hold thousands of errors, but usually holds none. */
export function lazy<T>(compute: () => T): () => T {
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
  const byPlace = lazy(() => pathsByPlace(data, paths, batch));
  const ofAll = lazy(() => (paths.length === 1 ? paths.map(beforeList) : reached(data, paths, batch.targets)));
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
