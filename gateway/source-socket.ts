import { createClient } from 'graphql-ws';
import { type ClientOptions, WebSocket } from 'ws';
import { fail } from '../schema/errors.ts';
import type { SourceRequest, SourceResult } from '../schema/request.ts';
import { type Connection, type Patience, streamOf } from './source-stream.ts';

const defaultPatience: Patience = { limit: 60_000, steady: 5_000, shortest: 100, longest: 5_000 };
/** Milliseconds for the handshake, and for the first answer. */
const responseTime = 10_000;

interface SocketOptions {
  patience?: Partial<Patience>;
  keepAlive?: number;
}

/** Without compression, which costs more than it saves between processes that stand together. */
class PlainSocket extends WebSocket {
  constructor(address: string | URL, protocols?: string | string[], options?: ClientOptions) {
    super(address, protocols, { ...options, handshakeTimeout: responseTime, perMessageDeflate: false });
  }
}

/** Subscriptions of one subgraph over a single connection, opened with the first of them and closed after the last. */
export function socketOf(url: string, secret: string | undefined, { patience: given, keepAlive = 10_000 }: SocketOptions = {}) {
  const patience = { ...defaultPatience, ...given };
  const address = new URL(url);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  const cut: Connection['cut'] = new Set();
  let since: number | undefined;
  let pong: NodeJS.Timeout | undefined;

  const client = createClient({
    url: address.href,
    webSocketImpl: PlainSocket,
    connectionParams: { secret },
    connectionAckWaitTimeout: responseTime,
    // Each stream comes back by itself, because it has to go on behind its last event.
    retryAttempts: 0,
    keepAlive,
    on: {
      connected() {
        since = performance.now();
      },
      ping(received) {
        if (received) return;
        clearTimeout(pong);
        // The other end may be gone without a word.
        pong = setTimeout(() => client.terminate(), keepAlive);
      },
      pong: (received) => received && clearTimeout(pong),
      // Before graphql-ws hears of it, which would subscribe again from the beginning after some of the codes.
      closed(event) {
        clearTimeout(pong);
        for (const lose of [...cut]) lose(refusalOf(event));
        since = undefined;
      },
    },
  });

  const connection: Connection = {
    cut,
    stood: () => (since === undefined ? 0 : performance.now() - since),
    subscribe: ({ text, variables, context }, sink) =>
      client.subscribe(
        { query: text, variables: { ...variables }, extensions: { headers: context.headers } },
        {
          next: (result) => sink.next(result as SourceResult),
          // A list of errors is the subgraph's answer; anything else is the connection.
          error: (error) => (Array.isArray(error) ? sink.end({ errors: error }) : sink.lost(refusalOf(error))),
          complete: () => sink.end(),
        },
      ),
  };

  return {
    subscribe: async (request: SourceRequest): Promise<AsyncIterable<SourceResult>> => streamOf(connection, request, patience),
    close: async () => client.dispose(),
  };
}

/** A subgraph that does not let its gateway in will not do so a moment later. */
function refusalOf(event: unknown): Error | undefined {
  const { code, reason } = event as { code?: unknown; reason?: unknown };
  const passing = typeof code !== 'number' || code < 4400 || code === 4408 || code > 4498;
  return passing ? undefined : fail('UNAVAILABLE', `The subgraph closed the connection: ${code} ${reason}`);
}
