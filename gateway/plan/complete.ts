import type { ResponsePath } from '@apollo/query-planner';
import type { GraphQLEnumType, GraphQLScalarType } from 'graphql';
import { isEnumType } from 'graphql';
import type { Budget } from '../source-contract.ts';
import type { Data } from './context.ts';
import type { SentObjects } from './deferred-fetches.ts';

/**
 * Returns the JSON text of a value. Returns `NULL` for a missing or invalid value, and undefined when null is not allowed and
 * propagates to the parent.
 */
export type Complete = (value: unknown, trace: Trace) => string | undefined;

/** The JSON text of null. No other value has this text, because strings are quoted. */
export const NULL = 'null';

/** The state of completing one response. */
export interface Trace {
  readonly variables: Readonly<Data>;
  readonly budget?: Budget;
  /** Characters of the response so far, and how many it may have. */
  length: number;
  readonly limit: number;
  /** The reversed path of a propagating null. It is set only then, so a valid response tracks no paths. */
  path?: ResponsePath;
  message: string;
  /** Receives the deferred parts of the response; only for operations with `@defer`. */
  readonly pending?: PendingPart[];
  /** Characters of the path of the part that is written; 0 at the root. */
  readonly pathLength: number;
  /** The objects of the parts before; only for operations with `@defer`. */
  readonly sent?: SentObjects;
  /** Whether the propagating null must reach the root of the part, because the caller already has an object at its place. */
  isFailed?: boolean;
}

/** Complete an object so that it agrees with what earlier parts have at its place. */
export const agreeing =
  (complete: Complete, place: string): Complete =>
  (value, trace) => {
    const before = trace.sent!.before(place, value as Data);
    if (before === false) return NULL;
    const text = complete(value, trace);
    if (text === NULL && before) trace.isFailed = true;
    trace.sent!.add(place, value as Data, text !== NULL);
    return text;
  };

/** Add to the length of the response. Throws when the response exceeds its budget. */
export function count(length: number, trace: Trace): void {
  trace.length += length;
  if (trace.length > trace.limit) trace.budget!.write(trace.length);
}

/** A deferred fragment of an object in the response. */
export interface PendingPart {
  readonly label: string;
  /** The reversed path from the root, or from the part that contains this one. Incomplete until the root is complete. */
  readonly path: (string | number)[];
  readonly value: Data;
  readonly complete: Complete;
}

/** Characters of a part besides its fields and its path. */
const PART_LENGTH = 200;

/** Add the parts of an object. Each counts, because its path and label are sent with it. */
export function addParts(trace: Trace, value: Data, parts: readonly Omit<PendingPart, 'path' | 'value'>[]): void {
  count(parts.length * (PART_LENGTH + trace.pathLength), trace);
  for (const part of parts) trace.pending!.push({ ...part, path: [], value });
}

/** Add a step to the paths of the parts that were found since `from`, or drop them with a null. */
export function placeParts(trace: Trace, from: number, step: string | number, text: string | undefined): void {
  const pending = trace.pending!;
  if (text === undefined || text === NULL) pending.length = from;
  if (pending.length === from) return;
  count((pending.length - from) * (String(step).length + 3), trace);
  for (let at = from; at < pending.length; at++) pending[at]!.path.push(step);
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

/** Null propagation stops here, so reset its path; unless the part fails. */
export function nullable(complete: Complete): Complete {
  return (value, trace) => {
    const text = complete(value, trace);
    if (text !== NULL) return text;
    if (trace.isFailed) return undefined;
    trace.path = undefined;
    return NULL;
  };
}

export function listOf(complete: Complete): Complete {
  return (value, trace) => {
    if (!Array.isArray(value)) return NULL;
    let list = '[';
    for (let at = 0; at < value.length; at++) {
      const from = trace.pending?.length;
      const text = complete(value[at], trace);
      if (from !== undefined) placeParts(trace, from, at, text);
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

/** Most strings need no escaping, and the test is cheaper than `JSON.stringify`. */
const quoted = (text: string): string => (special.test(text) ? JSON.stringify(text) : `"${text}"`);

const builtInScalars: Record<string, Complete> = {
  Int: (value) => (Number.isInteger(value) ? `${value}` : NULL),
  Float: (value) => (Number.isFinite(value) ? `${value}` : NULL),
  String: (value) => (typeof value === 'string' ? quoted(value) : NULL),
  Boolean: (value) => (typeof value === 'boolean' ? `${value}` : NULL),
  ID: (value) => (typeof value === 'string' ? quoted(value) : Number.isInteger(value) ? `${value}` : NULL),
};

const anyValue: Complete = (value) => {
  if (typeof value === 'string') return quoted(value);
  // Twice as fast as `JSON.stringify`, and lists hold many dates.
  if (value instanceof Date && !Number.isNaN(value.getTime())) return `"${value.toISOString()}"`;
  return JSON.stringify(value) ?? NULL;
};

/** Compile the completion of a leaf. Values that violate the schema and inaccessible enum values become null. */
export function leafOf(type: GraphQLScalarType | GraphQLEnumType): Complete {
  if (!isEnumType(type)) return builtInScalars[type.name] ?? anyValue;
  const names = new Map<unknown, string>(type.getValues().map(({ name }) => [name, `"${name}"`]));
  return (value) => names.get(value) ?? NULL;
}
