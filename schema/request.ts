import type { DocumentNode, GraphQLFormattedError } from 'graphql';
import type { AnswerBudget } from './answer-budget.ts';

/**
 * The context of one incoming request. Pass it on without copying: in-process subgraphs cache the identity of the caller by this
 * object.
 */
export interface RequestContext {
  /** Headers that a subgraph may read, in lower case: `x-api-key`, `authorization`, `x-organization`, `origin`, `x-client-address`, `idempotency-key`. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Aborts when the caller disconnects or the operation times out. */
  readonly signal?: AbortSignal;
  /** Size limit of the operation; unlimited when absent. */
  readonly budget?: AnswerBudget;
  /** W3C Trace Context of the caller. */
  readonly traceparent?: string;
}

/** One request of a query plan to a subgraph. */
export interface SourceRequest {
  /** Parsed once when the plan is compiled. Every run passes the same object, so a source may use it as a cache key. */
  readonly document: DocumentNode;
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
  /** Path of the objects that the request completes, with `@` for the items of a list. Empty at the root. */
  readonly path?: readonly (string | number)[];
  /** For subscriptions with numbered events: returns the variables that resume after this event. */
  readonly resume?: (event: SourceResult) => SourceRequest['variables'] | undefined;
}

export interface SourceResult {
  data?: Record<string, unknown> | null;
  errors?: readonly GraphQLFormattedError[];
}

/** Executes the requests of a plan to one subgraph, in process or over HTTP. */
export interface Source {
  execute(request: SourceRequest): SourceResult | Promise<SourceResult>;
  /** Returns a stream of results, or one result with errors when the subgraph rejects the subscription. */
  subscribe(request: SourceRequest): Promise<AsyncIterable<SourceResult> | SourceResult>;
  close?(): Promise<void>;
}

/** The response of an operation. `data` is JSON text in the order of the selection; undefined when nothing ran. */
export interface Answer {
  data?: string;
  errors?: readonly GraphQLFormattedError[];
}

/** An operation that is parsed, planned and compiled, and runs with any variables. */
export interface Operation {
  execute(variables: Readonly<Record<string, unknown>>, context: RequestContext): Promise<Answer>;
  /** Returns a stream of responses, or one response with errors when the subscription is rejected. */
  subscribe(variables: Readonly<Record<string, unknown>>, context: RequestContext): Promise<AsyncIterable<Answer> | Answer>;
}

export interface PrepareOptions {
  /** Selects one of several operations in the document. */
  operationName?: string;
  /** Paths of response keys, through lists (`products.items.price`), that the response omits when null. */
  omitNull?: readonly string[];
  /** Name in traces and metrics, for operations that are known at startup. */
  label?: string;
}

/** Plan and compile an operation of a valid document. Throws when no plan exists. */
export type Prepare = (document: DocumentNode, options?: PrepareOptions) => Operation;

/** The access that an operation requires of its caller. */
export interface Requirement {
  access: 'public' | 'user' | 'organization';
  plan?: 'growth';
}

/** The result of authentication and rate limiting, counted once per incoming request. */
export interface Admission {
  /** Requests per minute. */
  limit: number;
  remaining: number;
  /** End of the window, in Unix seconds. */
  reset: number;
  /** The error when the caller is refused; `code` is one of `errors.ts`. */
  refusal?: { code: string; message: string } | null;
}

export type Admit = (context: RequestContext, requirement: Requirement) => Promise<Admission>;
