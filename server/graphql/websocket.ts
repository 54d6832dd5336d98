import { setImmediate, setTimeout } from 'node:timers/promises';
import type { WebSocket } from '@fastify/websocket';
import type { FastifyRequest } from 'fastify';
import { CloseCode, makeServer } from 'graphql-ws';
import { anonymousLimit, isAnonymous } from '../admission.ts';
import { credentialHeaders } from '../credentials.ts';
import { namesKeyTwice } from '../json-members.ts';
import type { Connection } from './connection.ts';
import type { ProtocolOptions } from './protocol.ts';
import { protocol } from './protocol.ts';
import type { SocketLimits } from './socket.ts';
import { closeSocket, Heartbeat, sendBounded } from './socket.ts';

export interface WebSockets {
  open(socket: WebSocket, request: FastifyRequest): void;
  /** Stop accepting operations, wait for running queries and mutations, then close all connections. */
  close(): Promise<void>;
}

export const defaultSocketLimits: SocketLimits = { maxBuffered: 1_048_576, keepAlive: 12_000 };

/** Create the WebSocket endpoint, which uses the graphql-ws protocol. */
export function createWebSockets(options: ProtocolOptions, limits: SocketLimits, drainTimeout: number): WebSockets {
  const connections = new Set<Connection>();
  const closing = new AbortController();
  const server = makeServer(protocol(options, closing.signal));
  const heartbeat = new Heartbeat(limits.keepAlive);

  const disconnect = (connection: Connection) => {
    connections.delete(connection);
    for (const operation of connection.operations.values()) operation.end();
    connection.operations.clear();
  };

  return {
    open(socket, request) {
      const { log } = request;
      const connection: Connection = {
        socket,
        log,
        send(data) {
          if (sendBounded(socket, data, limits)) return;
          disconnect(connection);
          closeSocket(socket, 1013, 'Events are not read fast enough');
        },
        headers: credentialHeaders(request, options.forward, options.readSession),
        operations: new Map(),
        executing: new Set(),
      };
      connections.add(connection);
      heartbeat.add(socket);

      const closed = server.opened(
        {
          protocol: socket.protocol,
          close: (code = 1000, reason = '') => closeSocket(socket, code, reason),
          send: connection.send,
          onMessage: (receive) =>
            socket.on('message', (data: Buffer) => {
              if (options.admit && data.length > anonymousLimit && isAnonymous(connection.headers)) {
                return closeSocket(socket, 1009, `Without a key, a message may have at most ${anonymousLimit} bytes`);
              }
              const text = String(data);
              if (namesKeyTwice(text)) return closeSocket(socket, CloseCode.BadRequest, 'A message names a key twice');
              receive(text).catch((error: unknown) => {
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
    },
  };
}
