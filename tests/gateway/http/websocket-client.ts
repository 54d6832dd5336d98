import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { until } from '../../support/until.ts';
import type { Endpoint } from './endpoint.ts';

export const key = { 'x-api-key': 'good' };
export const address = ({ url }: Pick<Endpoint, 'url'>) => `${url.replace('http', 'ws')}/graphql`;

/** A graphql-ws client that does not reconnect. */
export const clientOf = (graph: Pick<Endpoint, 'url'>, connectionParams?: Record<string, unknown>) =>
  createClient({ url: address(graph), webSocketImpl: WebSocket, connectionParams, retryAttempts: 0 });

/** All results of an operation. */
export async function all(client: ReturnType<typeof clientOf>, query: string, more = {}) {
  const results = [];
  for await (const result of client.iterate({ query, ...more })) results.push(result);
  return results;
}

/** A client that sends only messages from the test. */
export async function raw(graph: Endpoint, protocol = 'graphql-transport-ws') {
  const socket = new WebSocket(address(graph), protocol);
  const messages: { type: string; id?: string; payload?: unknown }[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  socket.on('error', () => {});
  const closed = new Promise<{ code: number; reason: string }>((done) =>
    socket.once('close', (code, reason) => done({ code, reason: String(reason) })),
  );
  await new Promise((done) => socket.once('open', done));
  return {
    socket,
    messages,
    closed,
    say: (message: object) => socket.send(JSON.stringify(message)),
    run: (id: string, query: string) => socket.send(JSON.stringify({ type: 'subscribe', id, payload: { query } })),
    async hello(payload: object = key) {
      socket.send(JSON.stringify({ type: 'connection_init', payload }));
      await until(() => messages.some(({ type }) => type === 'connection_ack'));
    },
  };
}

/** A client that requests more than it reads, until its stream ends. */
export async function flooded(graph: Endpoint) {
  const client = await raw(graph);
  await client.hello();
  client.socket.pause();
  client.say({ type: 'subscribe', id: '1', payload: { query: 'subscription { ticks(every: 0, size: 100000) }' } });
  await until(() => graph.seen.streams === 1);
  await until(() => graph.seen.streams === 0);
  return client;
}
