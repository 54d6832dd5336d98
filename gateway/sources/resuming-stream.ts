import { fail } from '../gateway-error.ts';
import type { SourceRequest, SourceResult } from '../source-contract.ts';

/** Receives the events of one subscription. */
export interface Sink {
  next(result: SourceResult): void;
  end(last?: SourceResult): void;
  /** The connection was lost. A refusal means that a retry cannot succeed. */
  lost(refusal?: Error): void;
}

/** A connection that streams share. It opens on demand. */
export interface SubscriptionConnection {
  /** Callbacks for the loss of the connection. */
  readonly lossHandlers: Set<(refusal?: Error) => void>;
  /** Milliseconds since the connection opened; 0 when it is closed. */
  uptime(): number;
  subscribe(request: SourceRequest, sink: Sink): () => void;
}

/** Reconnect policy, in milliseconds. */
export interface ReconnectPolicy {
  /** The stream fails after this time without an event or a steady connection. */
  limit: number;
  /** Minimum uptime of a steady connection. */
  steady: number;
  /** First delay between attempts; each failure doubles it, up to `longest`. */
  shortest: number;
  longest: number;
}

const maxQueued = 1_000;
const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };
const tooSlow = (): SourceResult => ({
  errors: [fail('UNAVAILABLE', 'Events are not read fast enough. Subscribe again to continue.').toJSON()],
});

/**
 * Open a subscription that survives connection loss. It resubscribes with back-off, and resumes after the last event if events are
 * numbered. The queue is bounded: when it is full, a resumable stream pauses until the queue is read, and any other stream ends.
 */
export function streamOf(
  connection: SubscriptionConnection,
  first: SourceRequest,
  { limit, steady, shortest, longest }: ReconnectPolicy,
): AsyncIterableIterator<SourceResult, undefined> {
  const queue: SourceResult[] = [];
  let request = first;
  let over = false;
  let failure: Error | undefined;
  let isPaused = false;
  let failures = 0;
  let since: number | undefined;
  let retryTimer: NodeJS.Timeout | undefined;
  let dropConnection = () => {};
  let wake: (() => void) | undefined;

  const end = (last?: SourceResult) => {
    if (over) return;
    over = true;
    if (last) queue.push(last);
    wake?.();
  };

  const receive = (result: SourceResult) => {
    failures = 0;
    since = undefined;
    if (queue.length < maxQueued) {
      queue.push(result);
      request = { ...request, variables: request.resume?.(result) ?? request.variables };
      wake?.();
      return;
    }
    dropConnection();
    if (request.resume) isPaused = true;
    else end(tooSlow());
  };

  const handleLoss = (refusal?: Error) => {
    if (connection.uptime() > steady) since = undefined;
    since ??= performance.now();
    if (refusal || performance.now() - since > limit) {
      failure = refusal ?? fail('UNAVAILABLE', 'The connection to the subgraph could not be restored');
      return end();
    }
    const pause = Math.min(shortest * 2 ** Math.min(failures, 40), longest);
    failures += 1;
    // Jitter: not all streams may reconnect to a restarted subgraph at once.
    retryTimer = setTimeout(open, Math.max(pause, connection.lossHandlers.size) * (0.5 + Math.random() / 2));
  };

  function open(): void {
    let current = true;
    let unsubscribe = () => {};
    const drop = () => {
      current = false;
      connection.lossHandlers.delete(lost);
      unsubscribe();
    };
    const lost = (refusal?: Error) => {
      if (!current) return;
      drop();
      handleLoss(refusal);
    };
    dropConnection = drop;
    connection.lossHandlers.add(lost);
    unsubscribe = connection.subscribe(request, {
      next: (result) => current && receive(result),
      end(last) {
        if (!current) return;
        drop();
        end(last);
      },
      lost,
    });
  }

  open();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (isPaused && queue.length === 0) {
        isPaused = false;
        open();
      }
      if (queue.length === 0 && !over) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const value = queue.shift();
      if (value) return { done: false, value };
      if (!failure) return finished;
      const thrown = failure;
      failure = undefined;
      throw thrown;
    },
    async return() {
      clearTimeout(retryTimer);
      queue.length = 0;
      dropConnection();
      end();
      return finished;
    },
  };
}
