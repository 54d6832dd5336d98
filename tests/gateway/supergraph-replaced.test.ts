import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../start/servers/ports.ts';
import { listen } from '../support/listen.ts';
import { type Running, startProcess } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { federate, type Subgraph, subgraph } from './support/federation.ts';
import { supergraphOf } from './support/running-federation.ts';
import { serve } from './support/serve.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A subgraph with a field for each name, served on a port of its own. */
async function served(name: string, ...fields: string[]): Promise<Subgraph> {
  const made = subgraph(name, `type Query { ${fields.map((field) => `${field}: String`).join(' ')} }`, {
    Query: Object.fromEntries(fields.map((field) => [field, () => `${field} of ${name}`])),
  });
  const server = await serve(federate([made]).schemas[name]!);
  closing.push(() => server.close());
  return { ...made, url: server.url };
}

async function start(env: Record<string, string>): Promise<Running> {
  const gateway = await startProcess('start/gateway.ts', [], { PORT: '0', LOG_LEVEL: 'info', ...env });
  closing.push(() => gateway.stop());
  return gateway;
}

async function ask({ addresses }: Running, query: string) {
  const response = await fetch(`${addresses.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

test('a new supergraph file loads without a lost request, and an invalid one is reported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'supergraph-'));
  closing.push(() => rm(folder, { recursive: true }));
  const file = join(folder, 'supergraph.graphql');
  const write = async (sdl: string) => {
    await writeFile(`${file}.next`, sdl);
    await rename(`${file}.next`, file);
  };
  const [a, b] = [await served('a', 'one'), await served('b', 'two')];
  await write(supergraphOf([a]));
  const port = await freePort();
  const gateway = await start({ SUPERGRAPH: file, METRICS_PORT: String(port) });
  const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

  let isOver = false;
  const answers: unknown[] = [];
  const load = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!isOver) {
        answers.push(await ask(gateway, '{ one }'));
        await pause(5);
      }
    }),
  );
  await write(supergraphOf([a, b]));
  await until(async () => (await ask(gateway, '{ two }')).data?.two === 'two of b');
  isOver = true;
  await load;
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set(['{"data":{"one":"one of a"}}']));
  expect(await metrics()).toMatch(/graph_supergraph_updates_total\{outcome="applied"\} 1\n/);

  await write(supergraphOf([a, { ...b, url: undefined }]));
  await until(async () => /updates_total\{outcome="refused"\} 1\n/.test(await metrics()));
  expect(await metrics()).toMatch(/graph_supergraph_current 0\n/);
  expect(gateway.output()).toContain('Failed to build the new supergraph; the gateway keeps the old one');
  expect(gateway.output()).toContain('SUBGRAPH_URLS must name an address of b');
  expect(await ask(gateway, '{ one two }')).toEqual({ data: { one: 'one of a', two: 'two of b' } });
});

test('a supergraph at a URL is served and polled', async () => {
  const [a, b] = [await served('a', 'one'), await served('b', 'two')];
  let sdl = supergraphOf([a]);
  const registry = createServer((_, response) => response.end(sdl));
  const registryPort = await listen(registry);
  closing.push(() => new Promise((resolve) => registry.close(resolve)));
  const SUPERGRAPH = `http://127.0.0.1:${registryPort}/supergraph`;
  const gateway = await start({ SUPERGRAPH });
  expect(await ask(gateway, '{ one }')).toEqual({ data: { one: 'one of a' } });
  sdl = supergraphOf([a, b]);
  await until(async () => (await ask(gateway, '{ two }')).data?.two === 'two of b');
});
