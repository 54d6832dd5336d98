import type { ResponsePath } from '@apollo/query-planner';
import type { GraphQLFormattedError } from 'graphql';
import { GraphQLError } from 'graphql';
import type { Answer, SourceResult } from '../contract.ts';
import type { Shape } from '../document/shape.ts';
import { fail, markVerbatim } from '../errors.ts';
import { isObject, type Run } from './run.ts';

/** The error of a subgraph that did not answer. The log holds the cause; callers do not see it. */
export const unavailable = (subgraph: string): GraphQLFormattedError =>
  fail('UNAVAILABLE', `The ${subgraph} service cannot be reached. Try again shortly.`).toJSON();

/** Whether a subgraph, which may answer anything, answered a GraphQL result. */
export const isResult = (answer: unknown): answer is SourceResult =>
  isObject(answer) && (answer.errors == null ? isObject(answer.data) : Array.isArray(answer.errors));

/** An error of an entity is reported at each of its places, so few errors of a subgraph can become millions. */
const MAX_ERRORS = 1_000;

export const isFull = ({ errors }: Run): boolean => errors.length > MAX_ERRORS;

/** Add an error to the response. Returns false when it was the last one, which says that further errors are left out. */
export function addError(run: Run, error: GraphQLFormattedError): boolean {
  const { errors } = run;
  if (errors.length < MAX_ERRORS) errors.push(error);
  else if (!isFull(run)) errors.push(fail('LIMIT_REACHED', 'Further errors are left out').toJSON());
  return !isFull(run);
}

/** The path of a subgraph error; empty when the error or its path is not as GraphQL defines it. */
export const pathOf = (error: unknown): ResponsePath => (isObject(error) && Array.isArray(error.path) ? error.path : []);

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
export function withinResponse(error: GraphQLFormattedError, response: unknown): GraphQLFormattedError {
  let value = response;
  const end = (error.path ?? []).findIndex((step) => {
    if (typeof value === 'object' && value !== null) value = (value as Record<string | number, unknown>)[step];
    return value === undefined;
  });
  if (end === -1) return error;
  const { path, ...rest } = error;
  return end === 0 ? rest : { ...rest, path: path!.slice(0, end) };
}

/** Return a `GraphQLError` as a result without data. */
export async function catchRefusal<Result>(run: () => Promise<Result>): Promise<Result | Answer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error.toJSON()] };
    throw error;
  }
}
