import type { WebSocket } from '@fastify/websocket';
import type { RequestContext } from 'compiled-gateway';
import type { FastifyBaseLogger } from 'fastify';
import type { SubscribePayload } from 'graphql-ws';
import type { Lifetime } from '../lifetime.ts';

/** What the server knows of one client. */
export interface Connection {
  readonly socket: WebSocket;
  readonly log: FastifyBaseLogger;
  /** Says something to the client, or drops it when it does not take in what it was told. */
  send(data: string): void;
  /** Sent along with each operation. The origin is only told: a key is asked of pages as of anyone. */
  headers: RequestContext['headers'];
  /** By the message that asked for it: a client may use an id again. */
  readonly operations: Map<SubscribePayload, Lifetime>;
  /** Queries and mutations that are not answered yet. */
  readonly executing: Set<Promise<unknown>>;
}
