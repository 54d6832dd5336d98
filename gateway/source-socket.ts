import type { Client } from 'graphql-ws';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { fail } from '../schema/errors.ts';
import type { SourceRequest, SourceResult } from '../schema/request.ts';

const mostWaiting = 1000;
const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };
const lost = (): SourceResult => ({
  errors: [fail('UNAVAILABLE', 'The connection to the service was lost. Subscribe again to go on.').toJSON()],
});

/** Subscriptions of one subgraph over a single connection, opened with the first of them and closed after the last. */
export function socketOf(url: string, secret: string | undefined) {
  const address = new URL(url);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  const client = createClient({
    url: address.href,
    webSocketImpl: WebSocket,
    connectionParams: { secret },
    // Only the caller knows the last event it saw, so it has to be the one who subscribes again.
    retryAttempts: 0,
    keepAlive: 10_000,
  });

  return {
    subscribe: async (request: SourceRequest): Promise<AsyncIterable<SourceResult>> => eventsOf(client, request),
    close: async () => client.dispose(),
  };
}

/** Events are queued up to a bound: a reader that is further behind has to come back later. */
function eventsOf(client: Client, { text, variables, context }: SourceRequest): AsyncIterableIterator<SourceResult> {
  const queue: SourceResult[] = [];
  let over = false;
  let wake: (() => void) | undefined;

  const push = (result?: SourceResult) => {
    if (result) queue.push(result);
    else over = true;
    wake?.();
  };
  const end = (last?: SourceResult) => {
    if (over) return;
    if (last) queue.push(last);
    push();
  };
  const unsubscribe = client.subscribe(
    { query: text, variables: { ...variables }, extensions: { headers: context.headers } },
    {
      next(result) {
        if (over) return;
        if (queue.length < mostWaiting) return push(result as SourceResult);
        end(lost());
        unsubscribe();
      },
      // A list of errors is the subgraph's answer; anything else is the connection.
      error: (error) => end(Array.isArray(error) ? { errors: error } : lost()),
      complete: () => end(),
    },
  );

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (queue.length === 0 && !over) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const value = queue.shift();
      return value ? { done: false, value } : finished;
    },
    async return() {
      queue.length = 0;
      end();
      unsubscribe();
      return finished;
    },
  };
}
