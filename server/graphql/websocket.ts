import { setImmediate, setTimeout } from 'node:timers/promises';
import type { WebSocket } from '@fastify/websocket';
import type { FastifyRequest } from 'fastify';
import { CloseCode, MessageType, makeServer } from 'graphql-ws';
import { isObject } from '../../schema/json.ts';
import { namesKeyTwice } from '../input-limits.ts';
import { anonymousLimit, credentialHeaders, isAnonymous } from '../request-admission.ts';
import type { Connection, SocketLimits } from './connection.ts';
import { type ClientMessage, closeSocket, Heartbeat, Operations, Outgoing } from './connection.ts';
import type { ProtocolOptions } from './websocket-protocol.ts';
import { OpenStreams, protocol } from './websocket-protocol.ts';

export interface WebSockets {
  open(socket: WebSocket, request: FastifyRequest): void;
  /** Stop accepting operations, wait for running queries and mutations, then close all connections. */
  close(): Promise<void>;
}

export const defaultSocketLimits: SocketLimits = {
  maxBuffered: 1_048_576,
  maxWaiting: 33_554_432,
  reading: 120_000,
  keepAlive: 12_000,
  streams: 40_000,
  idle: 60_000,
};

/** Create the WebSocket endpoint, which uses the graphql-ws protocol. */
export function createWebSockets(options: ProtocolOptions, limits: SocketLimits, drainTimeout: number): WebSockets {
  const connections = new Set<Connection>();
  const closing = new AbortController();
  const server = makeServer(protocol(options, new OpenStreams(limits.streams), closing.signal));
  const heartbeat = new Heartbeat(limits.keepAlive);
  // Anybody may connect without a key, as visitors of the widget do.
  const idleCheck = options.admit && setInterval(() => closeIdle(connections), limits.idle / 2).unref();

  const disconnect = (connection: Connection) => {
    connections.delete(connection);
    connection.operations.clear();
  };

  return {
    open(socket, request) {
      const { log } = request;
      const outgoing = new Outgoing(socket, limits);
      const connection: Connection = {
        socket,
        log,
        send(data) {
          if (outgoing.push(data)) return;
          disconnect(connection);
          closeSocket(socket, 1013, 'Events are not read fast enough');
        },
        async deliver(data) {
          if (await outgoing.deliver(data)) return;
          disconnect(connection);
          closeSocket(socket, 1013, 'Responses are not read fast enough');
        },
        headers: credentialHeaders(request, options.forward, options.readSession),
        clientHeaders: request.headers,
        operations: new Operations(options.timeout),
        executing: new Set(),
        isIdle: false,
      };
      connections.add(connection);
      heartbeat.add(socket);

      const closed = server.opened(
        {
          protocol: socket.protocol,
          close: (code = 1000, reason = '') => closeSocket(socket, code, reason),
          send(text) {
            const restored = connection.operations.restoreId(text);
            if (restored !== undefined) connection.send(restored);
          },
          onMessage: (receive) =>
            socket.on('message', (data: Buffer) => {
              if (options.admit && data.length > anonymousLimit && isAnonymous(connection.headers)) {
                return closeSocket(socket, 1009, `Without a key, a message may have at most ${anonymousLimit} bytes`);
              }
              const text = String(data);
              if (namesKeyTwice(text)) return closeSocket(socket, CloseCode.BadRequest, 'A message names a key twice');
              handleMessage(connection, text, receive as Receive).catch((error: unknown) => {
                log.error({ err: error }, 'Failed to handle a WebSocket message');
                closeSocket(socket, 4500, 'Internal Server Error');
              });
            }),
        },
        connection,
      );
      socket.once('close', (code, reason) => {
        disconnect(connection);
        closed(code, String(reason)).catch((error: unknown) => log.error({ err: error }, 'Failed to close a WebSocket'));
      });
    },

    async close() {
      closing.abort();
      const allClosed = [...connections].map(async ({ socket, executing }) => {
        await Promise.race([Promise.allSettled(executing), setTimeout(drainTimeout, undefined, { ref: false })]);
        // Responses are sent in the same event loop turn in which they are ready.
        await setImmediate();
        closeSocket(socket, 1001, 'Going away');
      });
      await Promise.all(allClosed);
      heartbeat.stop();
      clearInterval(idleCheck);
    },
  };
}

/** Close the connections without a key that ran nothing at the last check either. */
function closeIdle(connections: ReadonlySet<Connection>): void {
  for (const connection of connections) {
    const wasIdle = connection.isIdle;
    connection.isIdle = isAnonymous(connection.headers) && connection.operations.size === 0;
    if (wasIdle && connection.isIdle) closeSocket(connection.socket, 1000, 'The connection is idle');
  }
}

/** graphql-ws also accepts messages that are already parsed. */
type Receive = (message: ClientMessage | string) => Promise<void>;

/** Pass a message to graphql-ws, with the number of its operation as id. */
async function handleMessage({ socket, operations }: Connection, text: string, receive: Receive): Promise<void> {
  const message = readMessage(text);
  const { type, id } = message ?? {};
  if (!message || typeof id !== 'string' || id === '') return receive(text);
  const current = operations.numberOf(id);
  if (type === MessageType.Subscribe) {
    if (current !== undefined) return closeSocket(socket, CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`);
    const number = operations.add(id);
    const { lifetime } = operations.get(number)!;
    // graphql-ws handles a subscribe message until the response is sent or canceled.
    return receive({ ...message, id: number }).finally(async () => {
      operations.cancel(number);
      await lifetime.settled();
      operations.delete(number);
    });
  }
  if (type !== MessageType.Complete) return receive(text);
  if (current === undefined) return;
  const handled = receive({ ...message, id: current });
  operations.cancel(current);
  return handled;
}

function readMessage(text: string): ClientMessage | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
