import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { endpoint } from './http-endpoint.ts';
import { rootedGateway } from './support/rooted.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapInUse = () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
const megabyte = 1024 * 1024;

/** How many documents that differ in an alias, each with the rest of its size in one place. */
const floods: [string, number, (index: number) => string][] = [
  ['a literal of 90 kB', 800, (index) => `{ a${index}: hello(name: "${'x'.repeat(90_000)}") }`],
  ['a literal of 30 kB', 800, (index) => `{ a${index}: hello(name: "${'x'.repeat(30_000)}") }`],
  ['127 fields', 100, (index) => `{ a${index}: me { ${'friend { id name } '.repeat(33)} } ${'me { id } '.repeat(28)} }`],
];

test.each(floods)('a flood of documents with %s leaves little behind', async (_, count, document) => {
  await using graph = await endpoint();
  await graph.ask(document(-1));
  const before = heapInUse();
  for (let index = 0; index < count; index++) expect((await graph.ask(document(index))).status).toBe(200);
  expect(heapInUse() - before).toBeLessThan(100 * megabyte);
});

test('a document of 1 MB is refused before it is parsed', async () => {
  await using graph = await endpoint();
  const text = `{ hello(name: "${'x'.repeat(1_000_000)}") }`;
  await graph.ask(text);
  const before = process.cpuUsage();
  for (let count = 0; count < 20; count++) {
    expect(await graph.ask(text)).toMatchObject({
      status: 400,
      body: { errors: [{ message: 'A document may have at most 100000 characters' }] },
    });
  }
  const { user } = process.cpuUsage(before);
  expect(user / 20_000).toBeLessThan(100);
});

test('an operation that costs too much is refused before it is planned', async () => {
  const gateway = rootedGateway('type Query { friends(limit: Int): [Me!]! } type Me { id: ID! }', { friends: () => [] });
  let planned = 0;
  const prepare: typeof gateway.prepare = (...operation) => {
    planned++;
    return gateway.prepare(...operation);
  };
  await using graph = await endpoint({ gateway: { ...gateway, prepare }, limits: { cost: 100 } });
  expect(await graph.ask('{ friends(limit: 100) { id } }')).toMatchObject({ status: 400 });
  expect(planned).toBe(0);
  expect(await graph.ask('{ friends(limit: 99) { id } }')).toMatchObject({ status: 200 });
  expect(planned).toBe(1);
});
