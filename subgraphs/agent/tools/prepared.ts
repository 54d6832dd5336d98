import type { ToolRequest, ToolResponse } from './types.ts';

/** A call that passed all checks and is ready to send. */
export interface Prepared {
  /** The masked request. */
  request: ToolRequest;
  /** Send the request. Never throws for a failure of the receiver; the outcome contains the error. */
  send(signal?: AbortSignal): Promise<Outcome>;
}

/** The outcome of a sent request. All texts are masked. */
export interface Outcome {
  response: ToolResponse | null;
  result: unknown;
  error: string | null;
}
