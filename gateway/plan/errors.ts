import type { ResponsePath } from '@apollo/query-planner';
import type { GraphQLFormattedError } from 'graphql';
import { GraphQLError } from 'graphql';
import type { Answer } from '../contract.ts';
import type { Shape } from '../document/shape.ts';
import { fail, markVerbatim } from '../errors.ts';

/** The one error of a source that gave no answer. Why it gave none is for the log, not for the caller. */
export const unavailable = (subgraph: string): GraphQLFormattedError =>
  fail('UNAVAILABLE', `The ${subgraph} service cannot be reached. Try again shortly.`).toJSON();

/**
 * An error of a subgraph as the caller sees it: its own message and code, the place in the response, no stack.
 * @param verbatim keep the server from masking codes that it does not know
 */
export function translate(error: GraphQLFormattedError, path: ResponsePath | undefined, verbatim = false): GraphQLFormattedError {
  const {
    stacktrace: _,
    exception: __,
    ...extensions
  }: Record<string, unknown> = { code: 'INTERNAL_SERVER_ERROR', ...error.extensions };
  return {
    message: error.message || 'The request failed',
    ...(path?.length && { path }),
    extensions: verbatim ? markVerbatim(extensions) : extensions,
  };
}

/** Paths end where the caller's selection ends: what the plan needed beyond it (keys, `@requires`) is nobody's business. */
export function withinSelection(path: ResponsePath, selection: Shape): ResponsePath {
  let shape: Shape | null | undefined = selection;
  const end = path.findIndex((step) => {
    if (typeof step === 'number') return false;
    if (!shape?.has(step)) return true;
    shape = shape.get(step);
    return false;
  });
  return end === -1 ? path : path.slice(0, end);
}

/** A path of the data as one of the response. */
export const toldPath = (path: ResponsePath, told: (key: string) => string): ResponsePath =>
  path.map((step) => (typeof step === 'string' ? told(step) : step));

/** Conditions may have left out what a path leads to, so it ends with what is in the response, or with the null it explains. */
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

/** A failure before anything ran is a result without data. */
export async function refusable<Result>(run: () => Promise<Result>): Promise<Result | Answer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error.toJSON()] };
    throw error;
  }
}
