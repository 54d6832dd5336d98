import type { WebSocket } from '@fastify/websocket';
import type { RequestContext } from 'compiled-gateway';
import type { FastifyBaseLogger } from 'fastify';
import type { SubscribePayload } from 'graphql-ws';
import type { Lifetime } from '../lifetime.ts';

/** The state of one WebSocket client. */
export interface Connection {
  readonly socket: WebSocket;
  readonly log: FastifyBaseLogger;
  /** Send a message, or close the connection when the client reads too slowly. */
  send(data: string): void;
  /** Headers for each operation. The origin is informational; browser clients need a key like any other. */
  headers: RequestContext['headers'];
  /** Keyed by message instead of id, because a client may reuse ids. */
  readonly operations: Map<SubscribePayload, Lifetime>;
  /** Running queries and mutations. */
  readonly executing: Set<Promise<unknown>>;
}
