/** A complete response. */
export interface Received {
  status: number;
  text: string;
  cacheControl?: string;
}

/** One request and the caller that waits for its response. */
export interface Exchange {
  /** The request line and the headers, without `content-length`. */
  readonly head: string;
  readonly body: string;
  /** `performance.now()` at which the response must be complete. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  /** Owners share the connections fairly. A request without an owner may take any. */
  readonly owner: string | undefined;
  complete(received: Received): void;
  fail(error: Error): void;
}

/** The error of a request whose caller disconnected or whose time limit ended; undefined otherwise. */
export function endOf({ signal, deadline }: Exchange, now: number): Error | undefined {
  if (signal?.aborted) return new Error('The caller disconnected');
  return deadline <= now ? new Error('The server takes too long') : undefined;
}
