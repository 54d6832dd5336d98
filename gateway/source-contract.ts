import type { DocumentNode, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { EventStream } from './event-stream.ts';
import type { Client } from './usage/usage-contract.ts';

/** Limits what one operation reads and answers. The gateway calls it; sources in the same process may too. */
export interface Budget {
  /** The error of an operation that has exceeded the budget. */
  readonly refusal: GraphQLError | undefined;
  /** The largest length of a response, in characters. */
  readonly limit: number;
  /** Count bytes that a source has read. Throws `refusal`. */
  read(bytes: number): void;
  /** Count values of a list. Throws `refusal`. */
  values(count: number): void;
  /** Check the length of the response so far. Throws `refusal`. */
  write(length: number): void;
  /** Called before each operation and before each event of a subscription. */
  restart(): void;
}

/** The caller, as `@authenticated`, `@requiresScopes` and `@policy` of a supergraph ask about it. */
export interface Authorization {
  readonly isAuthenticated: boolean;
  readonly scopes?: Iterable<string>;
  /** Returns those of the policies that the caller meets. Called once for an operation that names policies. */
  policies?(names: readonly string[]): Iterable<string> | Promise<Iterable<string>>;
}

/**
 * The context of every subgraph request. There is one object per incoming request, and sources may cache by it, so pass it on and do not
 * copy it.
 */
export interface RequestContext {
  /** Headers that subgraphs may see, with lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Aborts when the caller disconnects or the operation times out. */
  readonly signal?: AbortSignal;
  /** Unlimited when absent. */
  readonly budget?: Budget;
  /**
   * The tenant of the caller, empty for a caller without one. A source over HTTP shares its connections fairly between owners; if it is
   * undefined, a request may take any.
   */
  owner?: string;
  /** Without it, the caller may select no field with an access rule. */
  readonly authorization?: Authorization;
  /** The program that sends the request, for the counts of `GatewayOptions.usage`. */
  client?: Client;
  /** Called with the `Cache-Control` header of each subgraph response; undefined when the response has none. */
  onCacheControl?: (header: string | undefined) => void;
  /** The caller's trace, by W3C Trace Context. */
  readonly traceparent?: string;
}

/** One request of a query plan to a subgraph. */
export interface SourceRequest {
  /** Parsed once when the plan is compiled and the same object on every run, so a source may cache on it. */
  readonly document: DocumentNode;
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
  /** Whether the request must not share the response of an equal query in flight, because it has an effect. */
  readonly isUnique?: boolean;
  /** The path of the objects that the request completes, with `@` for the items of a list. Empty at the root. */
  readonly path?: readonly (string | number)[];
  /** For subscriptions with numbered events: the variables that resume the subscription after this event. */
  readonly resume?: (event: SourceResult) => SourceRequest['variables'] | undefined;
}

/** The answer of a subgraph. */
export interface SourceResult {
  data?: Record<string, unknown> | null;
  errors?: readonly GraphQLFormattedError[];
  /** The `Cache-Control` header of the response. */
  cacheControl?: string;
}

/** Answers the requests of a plan for one subgraph, in this process or over HTTP. */
export interface Source {
  execute(request: SourceRequest): SourceResult | Promise<SourceResult>;
  /** A stream of results, or one result with errors when the subgraph refuses. */
  subscribe(request: SourceRequest): Promise<AsyncIterable<SourceResult> | SourceResult>;
  close?(): Promise<void>;
}

/** The response of an operation. `data` is JSON text with the selected fields in their order; it is undefined when nothing ran. */
export interface Answer {
  data?: string;
  errors?: readonly GraphQLFormattedError[];
}

/** The place of a deferred fragment in the response. */
export interface PartPlace {
  /** Unique within the response. */
  readonly id: string;
  /** The object that has the fields of the fragment. */
  readonly path: readonly (string | number)[];
  /** The label that the caller gave the fragment. */
  readonly label?: string;
}

/** The fields of a deferred fragment at one place. The paths of errors begin at the root. */
export interface DeferredPart extends PartPlace {
  /** JSON text; `null` when a null propagated to the fragment. */
  readonly data: string;
  readonly errors?: readonly GraphQLFormattedError[];
}

export interface DeferredEvent {
  readonly completed: readonly DeferredPart[];
  /** Parts within the completed ones, which follow. */
  readonly pending: readonly PartPlace[];
  readonly hasNext: boolean;
}

/** The parts that follow the first answer of an operation with `@defer`. */
export interface Deferred {
  readonly pending: readonly PartPlace[];
  /** Ends after the last part. */
  readonly events: EventStream<DeferredEvent>;
}

export interface FirstAnswer extends Answer {
  /** Undefined when the answer is complete. */
  readonly deferred?: Deferred;
}

/** An operation that is planned and compiled, ready to run with any variables. */
export interface Operation {
  /** Returns one complete answer, also for an operation with `@defer`. */
  execute(variables: Readonly<Record<string, unknown>>, context: RequestContext): Promise<Answer>;
  /** Returns the answer of an operation with `@defer` in parts; absent for operations without. */
  executeInParts?(variables: Readonly<Record<string, unknown>>, context: RequestContext): Promise<FirstAnswer>;
  /** A stream of answers, or one with errors when the subscription is refused. */
  subscribe(variables: Readonly<Record<string, unknown>>, context: RequestContext): Promise<AsyncIterable<Answer> | Answer>;
}

export interface PrepareOptions {
  /** Selects one of several operations in the document. */
  operationName?: string;
  /** Paths of response keys, through lists (`products.items.price`), whose null is left out of the response. */
  omitNull?: readonly string[];
  /** Names the operation in traces and metrics. Use it for operations that are known at start. */
  label?: string;
}

/** Plan and compile an operation of a valid document. Throws when it cannot be served. */
export type Prepare = (document: DocumentNode, options?: PrepareOptions) => Operation;

/** A readiness check. It rejects while a subgraph cannot be reached, and the signal aborts when the check times out. */
export type Check = (signal: AbortSignal) => Promise<unknown>;
