import type { ResponsePath } from '@apollo/query-planner';
import type { GraphQLEnumType, GraphQLScalarType } from 'graphql';
import { isEnumType } from 'graphql';
import type { Data } from './run.ts';

/**
 * The response's value for a value of the data: null where there is none, undefined where even null is not allowed and the
 * null moves up to the parent.
 */
export type Complete = (value: unknown, trace: Trace) => unknown;

/** What completing a response needs to know and has to tell. */
export interface Trace {
  readonly variables: Readonly<Data>;
  /** The way of a null that is moving up, from the field to the root. Written only then, so a sound response costs no paths. */
  path?: ResponsePath;
  message: string;
}

export function nonNull(complete: Complete, message: string): Complete {
  return (value, trace) => {
    const completed = complete(value, trace);
    if (completed !== null) return completed;
    if (!trace.path) {
      trace.path = [];
      trace.message = message;
    }
    return undefined;
  };
}

/** A null stops here, so what is said about its way is forgotten. */
export function nullable(complete: Complete): Complete {
  return (value, trace) => {
    const completed = complete(value, trace);
    if (completed === null) trace.path = undefined;
    return completed;
  };
}

export function listOf(complete: Complete): Complete {
  return (value, trace) => {
    if (!Array.isArray(value)) return null;
    const list = new Array<unknown>(value.length);
    for (let at = 0; at < value.length; at++) {
      const completed = complete(value[at], trace);
      if (completed === undefined) {
        trace.path!.push(at);
        return null;
      }
      list[at] = completed;
    }
    return list;
  };
}

const checks: Record<string, (value: unknown) => boolean> = {
  Int: Number.isInteger,
  Float: Number.isFinite,
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
  ID: (value) => typeof value === 'string' || Number.isInteger(value),
};

/** What a subgraph sends against its own schema is not passed on, nor is a value of an enum that the API does not show. */
export function leafOf(type: GraphQLScalarType | GraphQLEnumType): Complete {
  const names = isEnumType(type) ? new Set<unknown>(type.getValues().map(({ name }) => name)) : undefined;
  const isValid = names ? (value: unknown) => names.has(value) : checks[type.name];
  if (!isValid) return (value) => value ?? null;
  return (value) => (value === undefined || value === null || !isValid(value) ? null : value);
}
