import type { DocumentNode, GraphQLFormattedError } from 'graphql';
import type { AnswerBudget } from './answer-budget.ts';

/**
 * What travels beside every request. One object per incoming request: in-process subgraphs key their once-per-request
 * identity on it, so it must be passed on, not copied.
 */
export interface RequestContext {
  /** Headers a subgraph may see, lower case: `x-api-key`, `authorization`, `x-organization`, `origin`, `x-client-address`, `idempotency-key`. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Aborted when the caller goes away or the time for the operation is over. */
  readonly signal?: AbortSignal;
  /** What the operation may still read; unlimited without. */
  readonly budget?: AnswerBudget;
  /** The trace its caller is in, by W3C Trace Context. */
  readonly traceparent?: string;
}

/** One request of a query plan to a subgraph. */
export interface SourceRequest {
  /** Parsed once when the plan is compiled and the same object on every run, so a source may cache on it. */
  readonly document: DocumentNode;
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
  /** The place in the data whose objects the request completes, `@` standing for the items of a list. Empty at the root. */
  readonly path?: readonly (string | number)[];
  /** Of a subscription whose events are numbered: the variables to go on behind this event with. */
  readonly resume?: (event: SourceResult) => SourceRequest['variables'] | undefined;
}

export interface SourceResult {
  data?: Record<string, unknown> | null;
  errors?: readonly GraphQLFormattedError[];
}

/** Anything that answers the requests of a plan for one subgraph: in process, or over HTTP. */
export interface Source {
  execute(request: SourceRequest): SourceResult | Promise<SourceResult>;
  /** A stream of results, or one result with errors when the subgraph refuses. */
  subscribe(request: SourceRequest): Promise<AsyncIterable<SourceResult> | SourceResult>;
  close?(): Promise<void>;
}

/** What an operation answers: `data` is JSON text, exactly what was selected, in its order; undefined when nothing ran. */
export interface Answer {
  data?: string;
  errors?: readonly GraphQLFormattedError[];
}

/** An operation of the API that is parsed, planned and compiled, ready to run with any variables. */
export interface Operation {
  execute(variables: Readonly<Record<string, unknown>>, context: RequestContext): Promise<Answer>;
  /** A stream of answers, or one with errors when the subscription is refused. */
  subscribe(variables: Readonly<Record<string, unknown>>, context: RequestContext): Promise<AsyncIterable<Answer> | Answer>;
}

export interface PrepareOptions {
  /** Which of several operations in the document. */
  operationName?: string;
  /** Paths of response keys, through lists (`products.items.price`), whose null is left out of the response. */
  omitNull?: readonly string[];
  /** What it is called in traces and metrics; for operations that are known at start. */
  label?: string;
}

/** Plan and compile an operation of a document that is valid. Throws when it cannot be served. */
export type Prepare = (document: DocumentNode, options?: PrepareOptions) => Operation;

/** What a caller needs to be let in: a working key, membership of an organization, a plan. */
export interface Requirement {
  access: 'public' | 'user' | 'organization';
  plan?: 'growth';
}

/** The answer to who is calling and how much they may still call. Counted once per incoming request. */
export interface Admission {
  /** Requests a minute. */
  limit: number;
  remaining: number;
  /** When the window ends, in Unix seconds. */
  reset: number;
  /** Why the caller is refused, if so; a code of `errors.ts`. */
  refusal?: { code: string; message: string } | null;
}

export type Admit = (context: RequestContext, requirement: Requirement) => Promise<Admission>;
