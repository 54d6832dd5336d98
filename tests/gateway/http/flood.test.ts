import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { until } from '../../support/until.ts';
import { rootedGateway } from '../support/rooted.ts';
import { endpoint } from './endpoint.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapInUse = () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
const megabyte = 1024 * 1024;

/** Number of documents that differ in an alias, with padding in one position. */
const floods: [string, number, (index: number) => string][] = [
  ['a literal of 90 kB', 400, (index) => `{ a${index}: hello(name: "${'x'.repeat(90_000)}") }`],
  ['a literal of 30 kB', 300, (index) => `{ a${index}: hello(name: "${'x'.repeat(30_000)}") }`],
  ['127 fields', 60, (index) => `{ a${index}: me { ${'friend { id name } '.repeat(33)} } ${'me { id } '.repeat(28)} }`],
];

test.each(floods)(
  'a flood of documents with %s leaves little behind',
  async (_, count, document) => {
    await using graph = await endpoint();
    const key = { 'x-api-key': 'good' };
    await graph.ask(document(-1), key);
    const before = heapInUse();
    for (let first = 0; first < count; first += 20) {
      const answers = Array.from({ length: 20 }, (_, at) => graph.ask(document(first + at), key));
      for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
    }
    // The buffers of the client are freed only after several garbage collections.
    await until(() => heapInUse() - before < 20 * megabyte);
  },
  300_000,
);

const long = `{ hello(name: "${'x'.repeat(1_000_000)}") }`;

test('a document of 1 MB is rejected before it is parsed', async () => {
  await using graph = await endpoint();
  // A parser would report the first brace.
  expect(await graph.ask('}'.repeat(1_000_000), { 'x-api-key': 'good' })).toMatchObject({
    status: 400,
    body: { errors: [{ message: 'A document may have at most 100000 characters' }] },
  });
});

test('without a key, a body needs a small Content-Length', async () => {
  await using graph = await endpoint();
  const refusal = { message: 'without a key, a body must have a Content-Length of at most 262144 bytes' };
  expect(await graph.ask(long)).toMatchObject({ status: 413, body: { errors: [refusal] } });
  const body = new Blob(['{"query": "{ hello }"}']).stream();
  const headers = { 'content-type': 'application/json' };
  const chunked = await fetch(`${graph.url}/graphql`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  expect(chunked.status).toBe(413);
  expect(await chunked.json()).toMatchObject({ errors: [refusal] });
});

test('without a key, a message over WebSocket must be small', async () => {
  await using graph = await endpoint();
  const socket = new WebSocket(`${graph.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { text: 'x'.repeat(300_000) } }));
  const [code] = await once(socket, 'close');
  expect(code).toBe(1009);
});

test('an operation that costs too much is rejected before it is planned', async () => {
  const gateway = rootedGateway('type Query { friends(limit: Int): [Me!]! } type Me { id: ID! }', { friends: () => [] });
  let planned = 0;
  const counted: typeof gateway = {
    ...gateway,
    prepare(...operation) {
      planned++;
      return gateway.prepare(...operation);
    },
    derive(make) {
      const value = make(counted);
      return () => value;
    },
  };
  await using graph = await endpoint({ gateway: counted, limits: { cost: 100 } });
  expect(await graph.ask('{ friends(limit: 100) { id } }')).toMatchObject({ status: 400 });
  expect(planned).toBe(0);
  expect(await graph.ask('{ friends(limit: 99) { id } }')).toMatchObject({ status: 200 });
  expect(planned).toBe(1);
});
