import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { listen } from '../../support/listen.ts';
import { until } from '../../support/until.ts';
import { subgraph } from '../support/federation.ts';
import { type ServedSubgraph, served, stack, subgraphsOf } from './served.ts';

const account = subgraph('account', 'type Query { open: Int } type Subscription { ticks: Int }', {
  Query: { open: () => 1 },
  Subscription: {
    ticks: {
      subscribe: async function* () {
        await new Promise((resolve) => setTimeout(resolve, 20_000).unref());
        yield { ticks: 1 };
      },
    },
  },
});

let source: string;
let servers: Record<string, ServedSubgraph>;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'serve-hostile-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const composed = await subgraphsOf([account]);
  servers = composed.servers;
  source = join(folder, 'supergraph.graphql');
  await writeFile(source, composed.supergraph);
});

async function ask(url: string, connectionParams: Record<string, unknown>, headers: Record<string, string> = {}) {
  const client = createClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: class extends WebSocket {
      constructor(address: string, protocols: string) {
        super(address, protocols, { headers });
      }
    },
    connectionParams,
    retryAttempts: 0,
    shouldRetry: () => false,
  });
  return (await client.iterate({ query: '{ open }' }).next()).value;
}

test('a token over WebSocket that can be no header is not sent, and is no failure of the subgraph', async () => {
  const { url } = await served({
    supergraph: { source },
    defaults: { headers: { forward: ['authorization'] }, circuitBreaker: { failures: 1, seconds: 60 } },
  });
  expect(await ask(url, { authorization: 'a\r\nx-user: admin' })).toEqual({ data: { open: 1 } });
  expect(servers.account!.seen.at(-1)!.headers).not.toHaveProperty('x-user');
  expect(await ask(url, {})).toEqual({ data: { open: 1 } });
});

test('a client that sends nothing does not keep the server from closing', async () => {
  const { url, close } = await served({ supergraph: { source }, server: { timeoutSeconds: 1 } });
  const client = connect(Number(new URL(url).port), '127.0.0.1');
  await once(client, 'connect');
  const left = once(client, 'close');
  await close();
  await left;
}, 15_000);

test('a WebSocket counts for the address that a proxy forwards', async () => {
  const { url } = await served({ supergraph: { source }, server: { trustProxy: true }, rateLimit: { requests: 1 } });
  const from = (address: string) => ask(url, {}, { 'x-forwarded-for': `203.0.113.9, ${address}` });
  expect(await from('198.51.100.1')).toEqual({ data: { open: 1 } });
  expect(await from('198.51.100.2')).toEqual({ data: { open: 1 } });
  await expect(from('198.51.100.2')).rejects.toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
});

test('many messages in one packet do not exceed the operations of a connection', async () => {
  const { url } = await served({ supergraph: { source } });
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
  const received: { type: string }[] = [];
  socket.on('message', (text) => received.push(JSON.parse(String(text))));
  await new Promise((resolve) => socket.once('open', resolve));
  const send = (message: object) => socket.send(JSON.stringify(message));
  send({ type: 'connection_init' });
  await until(() => received.length === 1);
  const { _socket: connection } = socket as unknown as { _socket: { cork(): void; uncork(): void } };
  connection.cork();
  for (let at = 0; at < 130; at++) send({ type: 'subscribe', id: `${at}`, payload: { query: 'subscription { ticks }' } });
  connection.uncork();
  await until(() => received.length === 31);
  expect(received.slice(1)).toEqual(Array(30).fill(expect.objectContaining({ type: 'error' })));
  socket.close();
});

test('a response that is too large is no failure of its subgraph, and is not asked for again', async () => {
  let asked = 0;
  const large = createServer((_request, response) => {
    asked += 1;
    const filler = asked === 1 ? 'x'.repeat(5_000) : '';
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: { open: 1 }, extensions: { filler } }));
  });
  const url = `http://127.0.0.1:${await listen(large)}`;
  stack.defer(async () => {
    large.closeAllConnections();
    large.close();
  });
  const { ask: post } = await served({
    supergraph: { source },
    server: { responseBytes: 1_024 },
    subgraphs: { account: { url, retries: 2, circuitBreaker: { failures: 1, seconds: 60 } } },
  });
  expect((await post('{ open }')).body.errors).toMatchObject([{ extensions: { code: 'LIMIT_REACHED' } }]);
  expect(asked).toBe(1);
  expect((await post('{ open }')).body).toEqual({ data: { open: 1 } });
});

test('a request that the subgraph refuses does not open its circuit and is not repeated', async () => {
  const asked: (string | undefined)[] = [];
  const strict = createServer((request, response) => {
    asked.push(request.headers['x-status'] as string | undefined);
    const status = Number(request.headers['x-status'] ?? 200);
    request.resume().on('end', () => response.writeHead(status).end(status === 200 ? '{"data":{"open":1}}' : 'refused'));
  });
  const address = `http://127.0.0.1:${await listen(strict)}`;
  stack.defer(async () => {
    strict.closeAllConnections();
    strict.close();
  });
  const { ask: post } = await served({
    supergraph: { source },
    defaults: { headers: { forward: ['x-status'] } },
    subgraphs: { account: { url: address, retries: 2, circuitBreaker: { failures: 1, seconds: 60 } } },
  });
  for (const status of ['400', '413', '431']) {
    expect((await post('{ open }', { 'x-status': status })).body).toMatchObject({
      errors: [{ extensions: { code: 'UNAVAILABLE' } }],
    });
  }
  expect(asked).toEqual(['400', '413', '431']);
  expect((await post('{ open }')).body).toEqual({ data: { open: 1 } });
  await post('{ open }', { 'x-status': '500' });
  expect((await post('{ open }')).body).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] });
});

test('a caller cannot forward long headers', async () => {
  const { ask: post, url } = await served({
    supergraph: { source },
    defaults: { headers: { forward: ['x-tenant'] } },
    subgraphs: { account: { headers: { rename: { 'x-a': 'x-b' } } } },
  });
  const before = servers.account!.seen.length;
  const refused = await post('{ open }', { 'x-tenant': 't'.repeat(2_100), 'x-a': 'a'.repeat(2_000) });
  expect(refused).toMatchObject({
    status: 431,
    body: {
      errors: [
        {
          message: 'Headers and claims for a subgraph may have 4096 characters together, not 4100',
          extensions: { code: 'HEADERS_TOO_LARGE' },
        },
      ],
    },
  });
  await expect(ask(url, {}, { 'x-a': 'a'.repeat(9_000) })).rejects.toMatchObject({ code: 4403 });
  expect(servers.account!.seen).toHaveLength(before);
  const fitting = { 'x-tenant': 't'.repeat(2_000), 'x-a': 'a'.repeat(2_000), 'x-other': 'o'.repeat(5_000) };
  expect((await post('{ open }', fitting)).body).toEqual({ data: { open: 1 } });
});
