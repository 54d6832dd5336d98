import type { PlanNode } from '@apollo/query-planner';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import type { EventStream } from '../event-stream.ts';
import type { KeysOf } from '../planner/planner.ts';
import type { Shape } from '../selection.ts';
import type { Answer, Operation, RequestContext, Source } from '../source-contract.ts';
import type { DeferredFetches } from './deferred-fetches.ts';

/** An object of fetched data. */
export type Data = Record<string, unknown>;

/** The state of one execution. Fetches write `data` and `errors`; the projection reads them. */
export interface ExecutionState {
  readonly data: Data;
  readonly variables: Readonly<Data>;
  readonly context: RequestContext;
  readonly errors: GraphQLFormattedError[];
  /** The errors of fields that the caller may not select. */
  readonly denied?: readonly GraphQLFormattedError[];
  /** The deferred fetches, when the response is sent in parts. */
  readonly deferred?: DeferredFetches;
}

/** A compiled plan node. It returns undefined instead of a promise when it did no asynchronous work, which saves a microtask. */
export type PlanStep = (run: ExecutionState) => void | Promise<void>;

export const isObject = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether every object inherits the name, as with `constructor`. Read such names with `own`. */
export const isInherited = (key: string): boolean => key in Object.prototype;

export const own = (object: Data, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

/** By subgraph, the subscription fields with numbered events. */
export type NumberedFields = ReadonlyMap<string, ReadonlySet<string>>;

/** The context in which plan nodes are compiled. */
export interface Compilation {
  readonly sources: Readonly<Record<string, Source>>;
  /** Includes `@inaccessible` elements, which representations may need. */
  readonly supergraph: GraphQLSchema;
  /** The resolvable keys of a type in a subgraph, each as a list of field names. */
  readonly keysOf: KeysOf;
  /** All fetches of the operation, because several can write into the same objects. */
  readonly plan: PlanNode | undefined;
  /** Whether the response is sent in parts. */
  readonly isDeferring?: boolean;
  /** The shape of the caller's selection. */
  readonly selection: Shape;
  /** Maps a key of the fetched data to its key in the response. */
  readonly responseKey: (key: string) => string;
  /** Subscriptions that can resume after an interruption. */
  readonly numbered: NumberedFields;
  /** Subgraphs whose errors reach callers unmasked. */
  readonly verbatim: ReadonlySet<string>;
  /** Called with each subscription stream that opens, and the subgraphs that its events use. */
  readonly onStream?: (stream: EventStream<Answer>, subgraphs: ReadonlySet<string>) => void;
  /** Receives the cause of a subgraph failure, which callers never see. */
  readonly onFault?: (subgraph: string, error: unknown) => void;
}

/** An operation with a compiled plan. */
export interface CompiledOperation extends Operation {
  subscribe(variables: Readonly<Data>, context: RequestContext): Promise<EventStream<Answer> | Answer>;
}

/** An operation that is refused with several errors. */
export class Refusal extends Error {
  constructor(readonly errors: readonly GraphQLFormattedError[]) {
    super('The operation is refused');
  }
}

/** Return a `GraphQLError` or a refusal as a result without data. */
export async function catchRefusal<Result>(run: () => Promise<Result>): Promise<Result | Answer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error.toJSON()] };
    if (error instanceof Refusal) return { errors: error.errors };
    throw error;
  }
}
