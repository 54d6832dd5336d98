import { GraphQLError } from 'graphql';
import { createClient } from 'graphql-ws';
import { type ClientOptions, WebSocket } from 'ws';
import { fail } from '../gateway-error.ts';
import type { SourceRequest, SourceResult } from '../source-contract.ts';
import { type ReconnectPolicy, type SubscriptionConnection, streamOf } from './resuming-stream.ts';

const defaultReconnect: ReconnectPolicy = { limit: 60_000, steady: 5_000, shortest: 100, longest: 5_000 };
/** Timeout of the handshake and of the connection acknowledgment, in milliseconds. */
const connectTimeout = 10_000;

export interface SocketOptions {
  /** Reconnect policy of subscriptions. */
  reconnect?: Partial<ReconnectPolicy>;
  /** Milliseconds between pings, and the time limit of a pong; default 10,000. */
  keepAlive?: number;
  /**
   * Open one connection per distinct set of headers and send these as `connectionParams`, where graphql-ws servers expect
   * credentials. By default, all subscriptions share one connection and each sends its headers in `extensions.headers`.
   */
  connectionPerCaller?: boolean;
}

/** A WebSocket without compression, which costs more than it saves within a data center. */
class PlainSocket extends WebSocket {
  constructor(address: string | URL, protocols?: string | string[], options?: ClientOptions) {
    super(address, protocols, { ...options, handshakeTimeout: connectTimeout, perMessageDeflate: false });
  }
}

interface Socket extends SubscriptionConnection {
  close(): void;
}

/** Open subscriptions at one subgraph. A connection opens with its first subscription and closes after the last. */
export function socketOf(url: string, secret: string | undefined, options: SocketOptions = {}) {
  const { reconnect: given, keepAlive = 10_000, connectionPerCaller = false } = options;
  const reconnect = { ...defaultReconnect, ...given };
  const address = new URL(url);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  const sockets = new Map<string, Socket>();
  const open = new Set<Socket>();
  let closed = false;

  const socketFor = (headers: SourceRequest['context']['headers']): Socket => {
    const key = connectionPerCaller ? JSON.stringify(headers) : '';
    const known = sockets.get(key);
    if (known) return known;
    const socket = openSocket(address.href, connectionPerCaller ? { ...headers } : { secret }, keepAlive, {
      opened() {
        open.add(socket);
        // A stream in back-off can reopen a connection that was removed.
        if (!sockets.has(key)) sockets.set(key, socket);
      },
      closed() {
        open.delete(socket);
        if (sockets.get(key) === socket) sockets.delete(key);
      },
      isRefused: () => closed,
    });
    sockets.set(key, socket);
    return socket;
  };

  return {
    subscribe: async (request: SourceRequest): Promise<AsyncIterable<SourceResult>> =>
      streamOf(socketFor(request.context.headers), request, reconnect),
    async close() {
      closed = true;
      for (const socket of open) socket.close();
    },
  };
}

interface SocketEvents {
  opened(): void;
  closed(): void;
  /** Whether the source is closed, so that streams must not reconnect. */
  isRefused(): boolean;
}

function openSocket(url: string, connectionParams: Record<string, unknown>, keepAlive: number, events: SocketEvents): Socket {
  const lossHandlers: SubscriptionConnection['lossHandlers'] = new Set();
  let since: number | undefined;
  let pong: NodeJS.Timeout | undefined;

  const client = createClient({
    url,
    webSocketImpl: PlainSocket,
    connectionParams,
    connectionAckWaitTimeout: connectTimeout,
    // Each stream reconnects by itself, because it must resume after its last event.
    retryAttempts: 0,
    keepAlive,
    on: {
      connecting: events.opened,
      connected() {
        since = performance.now();
      },
      ping(received) {
        if (received) return;
        clearTimeout(pong);
        // The peer can disappear without a close frame.
        pong = setTimeout(() => client.terminate(), keepAlive);
      },
      pong: (received) => received && clearTimeout(pong),
      // This runs before graphql-ws handles the event; after some codes it would subscribe again from the beginning.
      closed(event) {
        clearTimeout(pong);
        events.closed();
        for (const lose of [...lossHandlers]) lose(events.isRefused() ? sourceClosed() : refusalOf(event));
        since = undefined;
      },
    },
  });

  return {
    lossHandlers,
    uptime: () => (since === undefined ? 0 : performance.now() - since),
    subscribe({ text, variables, context }, sink) {
      if (events.isRefused()) {
        sink.lost(sourceClosed());
        return () => {};
      }
      return client.subscribe(
        { query: text, variables: { ...variables }, extensions: { headers: context.headers } },
        {
          next: (result) => sink.next(result as SourceResult),
          // An array is a GraphQL result; any other error is a connection failure.
          error: (error) => (Array.isArray(error) ? sink.end({ errors: error }) : sink.lost(refusalOf(error))),
          complete: () => sink.end(),
        },
      );
    },
    close() {
      client.dispose();
    },
  };
}

const sourceClosed = () => fail('UNAVAILABLE', 'The connection to the subgraph was closed by the gateway');

const refusals: Record<number, string> = { 4401: 'UNAUTHENTICATED', 4403: 'FORBIDDEN' };

/** The error of a permanent close code; undefined when a retry may succeed. */
function refusalOf(event: unknown): Error | undefined {
  const { code, reason } = event as { code?: unknown; reason?: unknown };
  if (typeof code !== 'number' || code < 4400 || code === 4408 || code > 4498) return undefined;
  // The reason may describe the subgraph, so only the log has it.
  const originalError = new Error(`The subgraph closed the connection: ${code} ${reason}`);
  const known = refusals[code] ?? 'UNAVAILABLE';
  return new GraphQLError('The subgraph refused the connection', { originalError, extensions: { code: known } });
}
