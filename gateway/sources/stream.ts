import type { SourceRequest, SourceResult } from '../contract.ts';
import { fail } from '../errors.ts';

/** What one subscription tells of itself. */
export interface Sink {
  next(result: SourceResult): void;
  end(last?: SourceResult): void;
  /** The connection is lost; for good, when a refusal says so. */
  lost(refusal?: Error): void;
}

/** A connection that streams share. It is opened when it is needed. */
export interface Connection {
  /** Called when the connection is lost. */
  readonly cut: Set<(refusal?: Error) => void>;
  /** Milliseconds that the connection has stood; 0 when there is none. */
  stood(): number;
  subscribe(request: SourceRequest, sink: Sink): () => void;
}

/** How a lost connection is come back to, in milliseconds. */
export interface Patience {
  /** After this long without an event or a steady connection, the stream ends with an error. */
  limit: number;
  /** A connection that stood so long was there. */
  steady: number;
  /** Between two attempts; each failure doubles it. */
  shortest: number;
  longest: number;
}

const mostWaiting = 1_000;
const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };
const tooSlow = (): SourceResult => ({
  errors: [fail('UNAVAILABLE', 'Events are not read fast enough. Subscribe again to go on.').toJSON()],
});

/**
 * The events of a subscription, whatever becomes of the connection: it is subscribed again, behind the last event where
 * events are numbered. Events are queued up to a bound; beyond it they are left at the subgraph until the queue is read,
 * or the stream ends when they would be lost by that.
 */
export function streamOf(
  connection: Connection,
  first: SourceRequest,
  { limit, steady, shortest, longest }: Patience,
): AsyncIterableIterator<SourceResult, undefined> {
  const queue: SourceResult[] = [];
  let request = first;
  let over = false;
  let failure: Error | undefined;
  let behind = false;
  let failures = 0;
  let since: number | undefined;
  let again: NodeJS.Timeout | undefined;
  let leave = () => {};
  let wake: (() => void) | undefined;

  const end = (last?: SourceResult) => {
    if (over) return;
    over = true;
    if (last) queue.push(last);
    wake?.();
  };

  const take = (result: SourceResult) => {
    failures = 0;
    since = undefined;
    if (queue.length < mostWaiting) {
      queue.push(result);
      request = { ...request, variables: request.resume?.(result) ?? request.variables };
      wake?.();
      return;
    }
    leave();
    if (request.resume) behind = true;
    else end(tooSlow());
  };

  const lose = (refusal?: Error) => {
    if (connection.stood() > steady) since = undefined;
    since ??= performance.now();
    if (refusal || performance.now() - since > limit) {
      failure = refusal ?? fail('UNAVAILABLE', 'The subgraph did not come back');
      return end();
    }
    const pause = Math.min(shortest * 2 ** Math.min(failures, 40), longest);
    failures += 1;
    // A subgraph that comes back is not run over by all its streams at once.
    again = setTimeout(open, Math.max(pause, connection.cut.size) * (0.5 + Math.random() / 2));
  };

  function open(): void {
    let current = true;
    let unsubscribe = () => {};
    const drop = () => {
      current = false;
      connection.cut.delete(lost);
      unsubscribe();
    };
    const lost = (refusal?: Error) => {
      if (!current) return;
      drop();
      lose(refusal);
    };
    leave = drop;
    connection.cut.add(lost);
    unsubscribe = connection.subscribe(request, {
      next: (result) => current && take(result),
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
      if (behind && queue.length === 0) {
        behind = false;
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
      clearTimeout(again);
      queue.length = 0;
      leave();
      end();
      return finished;
    },
  };
}
