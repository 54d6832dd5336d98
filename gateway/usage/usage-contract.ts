/** The program that sends a request. */
export interface Client {
  readonly name: string;
  readonly version: string;
}

/** An operation that was run, without values of its callers. */
export interface UsedOperation {
  /** Of its text, and of the REST row that runs it. */
  readonly hash: string;
  /** Empty for an anonymous operation. */
  readonly name: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** The REST row or manifest name of an operation known at start; empty for others. */
  readonly label: string;
  /** Without literals and aliases; empty if it is too long to keep. */
  readonly text: string;
  /** The parts of the schema that every request uses. */
  readonly coordinates: readonly string[];
  /** The arguments and input fields that variables fill. A request uses those whose variables it sends. */
  readonly filled: readonly string[];
}

/** Counts of one operation and one client in one hour. */
export interface UsageRow {
  /** Start of the hour, in milliseconds since 1970. */
  readonly hour: number;
  /** The hash of the operation; `REST` for those beyond the limits. */
  readonly operation: string;
  readonly client: Client;
  readonly requests: number;
  /** Requests with errors in their response. */
  readonly errors: number;
  /** Requests by duration: index `i` counts those up to `2 ** (i / 2)` milliseconds. */
  readonly durations: readonly number[];
  /** Requests that sent an argument, input field or enum value in variables. Of `REST`, all coordinates of its requests. */
  readonly sent: Readonly<Record<string, number>>;
}

/** The counts since the last batch. */
export interface UsageBatch {
  /** Identifies the process that counted. */
  readonly writer: string;
  /** Increases by one. A batch that is sent again has its number, so that it is stored once. */
  readonly sequence: number;
  /** Those operations of the rows that no stored batch of this hour described. */
  readonly operations: readonly UsedOperation[];
  readonly rows: readonly UsageRow[];
}

/** The operation and client of counts beyond the limits. No client can have this name. */
export const REST = '*';

/** Number of classes of durations; the last holds all longer ones. */
export const DURATIONS = 34;
