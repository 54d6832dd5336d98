import type { WebSocket } from '@fastify/websocket';
import type { RequestContext } from 'compiled-gateway';
import type { FastifyBaseLogger } from 'fastify';
import type { Operations } from './operations.ts';

/** The state of one WebSocket client. */
export interface Connection {
  readonly socket: WebSocket;
  readonly log: FastifyBaseLogger;
  /** Send an event, or close the connection when the client reads too slowly. */
  send(data: string): void;
  /** Send a response, or close the connection when too many wait. Resolves when the client has read it, or is gone. */
  deliver(data: string): Promise<void>;
  /** Headers for each operation. The origin is informational; browser clients need a key like any other. */
  headers: RequestContext['headers'];
  readonly operations: Operations;
  /** Whether it had no key and ran nothing at the last check. */
  isIdle: boolean;
  /** Running queries and mutations. */
  readonly executing: Set<Promise<unknown>>;
}
