import type { GraphQLFormattedError } from 'graphql';
import type { RequestContext } from '../contract.ts';

/** An object of fetched data. */
export type Data = Record<string, unknown>;

/** The state of one execution. Fetches write `data` and `errors`; the projection reads them. */
export interface Run {
  readonly data: Data;
  readonly variables: Readonly<Data>;
  readonly context: RequestContext;
  readonly errors: GraphQLFormattedError[];
}

/** A compiled plan node. It returns undefined instead of a promise when it did no asynchronous work, which saves a microtask. */
export type Step = (run: Run) => void | Promise<void>;

export const isObject = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether every object inherits the name, as with `constructor`. Read such names with `own`. */
export const isInherited = (key: string): boolean => key in Object.prototype;

export const own = (object: Data, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);
