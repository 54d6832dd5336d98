import type { ResponsePath } from '@apollo/query-planner';
import type { GraphQLEnumType, GraphQLScalarType } from 'graphql';
import { isEnumType } from 'graphql';
import type { Budget } from '../contract.ts';
import type { Data } from './run.ts';

/**
 * The JSON text of a value of the data: `NULL` where there is none, undefined where even null is not allowed and the null
 * moves up to the parent.
 */
export type Complete = (value: unknown, trace: Trace) => string | undefined;

/** No other value has this text: a string comes in quotes. */
export const NULL = 'null';

/** What completing a response needs to know and has to tell. */
export interface Trace {
  readonly variables: Readonly<Data>;
  readonly budget?: Budget;
  /** Characters of the response so far. */
  length: number;
  /** The way of a null that is moving up, from the field to the root. Written only then, so a sound response costs no paths. */
  path?: ResponsePath;
  message: string;
}

export function nonNull(complete: Complete, message: string): Complete {
  return (value, trace) => {
    const text = complete(value, trace);
    if (text !== NULL) return text;
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
    const text = complete(value, trace);
    if (text === NULL) trace.path = undefined;
    return text;
  };
}

export function listOf(complete: Complete): Complete {
  return (value, trace) => {
    if (!Array.isArray(value)) return NULL;
    let list = '[';
    for (let at = 0; at < value.length; at++) {
      const text = complete(value[at], trace);
      if (text === undefined) {
        trace.path!.push(at);
        return NULL;
      }
      list += at === 0 ? text : `,${text}`;
    }
    return `${list}]`;
  };
}

const special = /[^ !\x23-\x5b\x5d-\ud7ff\ue000-\uffff]/;

/** Most strings need no escaping, and looking is cheaper than a call of `JSON.stringify`. */
const quoted = (text: string): string => (special.test(text) ? JSON.stringify(text) : `"${text}"`);

const written: Record<string, Complete> = {
  Int: (value) => (Number.isInteger(value) ? `${value}` : NULL),
  Float: (value) => (Number.isFinite(value) ? `${value}` : NULL),
  String: (value) => (typeof value === 'string' ? quoted(value) : NULL),
  Boolean: (value) => (typeof value === 'boolean' ? `${value}` : NULL),
  ID: (value) => (typeof value === 'string' ? quoted(value) : Number.isInteger(value) ? `${value}` : NULL),
};

const anything: Complete = (value) => {
  if (typeof value === 'string') return quoted(value);
  // Half the price of asking JSON, and lists are full of them.
  if (value instanceof Date && !Number.isNaN(value.getTime())) return `"${value.toISOString()}"`;
  return JSON.stringify(value) ?? NULL;
};

/** What a subgraph sends against its own schema is not passed on, nor is a value of an enum that the API does not show. */
export function leafOf(type: GraphQLScalarType | GraphQLEnumType): Complete {
  if (!isEnumType(type)) return written[type.name] ?? anything;
  const names = new Map<unknown, string>(type.getValues().map(({ name }) => [name, `"${name}"`]));
  return (value) => names.get(value) ?? NULL;
}
