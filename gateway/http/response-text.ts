import type { GraphQLFormattedError } from 'graphql';
import type { FirstAnswer } from '../source-contract.ts';

/** The result of an execution, before its errors are masked. */
export interface Outcome extends FirstAnswer {
  extensions?: Record<string, unknown>;
}

/** Converts an error for callers. */
export type Present = (error: GraphQLFormattedError) => GraphQLFormattedError;

/** The JSON of an outcome, with its errors as callers see them. */
export function textOf({ data, errors: faults, extensions }: Outcome, present: Present): string {
  if (!faults && !extensions) return `{"data":${data}}`;
  const parts: string[] = [];
  if (faults) parts.push(`"errors":${JSON.stringify(faults.map((each) => present(each)))}`);
  if (data !== undefined) parts.push(`"data":${data}`);
  if (extensions) parts.push(`"extensions":${JSON.stringify(extensions)}`);
  return `{${parts.join(',')}}`;
}
