import type { GraphQLFormattedError } from 'graphql';
import type { RequestContext } from '../contract.ts';

/** Any object of a result on its way through the plan. */
export type Data = Record<string, unknown>;

/** What one execution of an operation holds: the fetches write into `data` and `errors`, the projection reads them at the end. */
export interface Run {
  readonly data: Data;
  readonly variables: Readonly<Data>;
  readonly context: RequestContext;
  readonly errors: GraphQLFormattedError[];
}

/** One node of a plan, compiled. A step that had nothing to wait for returns nothing, so that no tick is lost on it. */
export type Step = (run: Run) => void | Promise<void>;

export const isObject = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names like `constructor` are found on every object, so they must be read as own properties. */
export const isInherited = (key: string): boolean => key in Object.prototype;

export const own = (object: Data, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);
