import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { freePort } from '../../start/servers/ports.ts';
import { createDatabase } from '../support/database.ts';
import { environmentOf } from '../support/environment.ts';
import { startForwarder } from '../support/forwarder.ts';
import { openGateway } from '../support/gateway.ts';
import { type Running, startProcess } from '../support/processes.ts';
import { startGateway, startWorker } from '../support/system.ts';
import { until } from '../support/until.ts';

/** Less than the time limit of a request to a subgraph. */
const REQUEST_MS = 20_000;
const SECRET = 'known-to-the-processes-only';
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function ready(url: string): Promise<[status: number, body: unknown]> {
  const response = await fetch(`${url}/readyz`);
  return [response.status, await response.json()];
}
const missing = (...names: string[]) => [503, { status: 'unavailable', missing: names }];

const kept = <T extends Pick<Running, 'stop'>>(running: T): T => {
  stops.push(() => running.stop());
  return running;
};
const forward = async (address: string) => {
  const { hostname, port } = new URL(address);
  const forwarder = await startForwarder(hostname, Number(port));
  stops.push(() => forwarder.cut());
  return forwarder;
};
/** A database through a forwarder. */
const forwardDatabase = async (address = process.env.TEST_DATABASE_URL!) => {
  const forwarder = await forward(address);
  const url = new URL(address);
  url.hostname = '127.0.0.1';
  url.port = String(forwarder.port);
  return { ...forwarder, url: url.href };
};

test('a gateway is not ready while a subgraph is down, rejects the secret, or has no database', async () => {
  const database = await forwardDatabase();
  const startAgent = (port: string) =>
    startProcess(
      'start/subgraph.ts',
      ['agent'],
      environmentOf({ databaseUrl: database.url, env: { SUBGRAPH_SECRET: SECRET, PORT: port } }),
    );
  let agent = await startAgent('0');
  stops.push(() => agent.stop());
  const AGENT_URL = agent.addresses.url!;
  const [gateway, wrong] = await Promise.all([
    openGateway({ AGENT_URL, SUBGRAPH_SECRET: SECRET }),
    openGateway({ AGENT_URL, SUBGRAPH_SECRET: 'another-secret' }),
  ]);
  kept(gateway);
  kept(wrong);
  expect(await ready(gateway.url)).toEqual([200, { status: 'ready' }]);
  expect(await ready(wrong.url)).toEqual(missing('agent'));

  await database.cut();
  expect(await ready(AGENT_URL)).toEqual(missing('database'));
  expect(await ready(gateway.url)).toEqual(missing('agent'));
  await database.restore();
  await until(async () => (await ready(gateway.url))[0] === 200);

  await agent.stop('SIGKILL');
  expect(await ready(gateway.url)).toEqual(missing('agent'));
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  agent = await startAgent(new URL(AGENT_URL).port);
  expect(await ready(gateway.url)).toEqual([200, { status: 'ready' }]);
});

test('a gateway is not ready without its database, and reveals neither its name nor its error', async () => {
  const database = await forwardDatabase();
  const gateway = kept(await openGateway({ DATABASE_URL: database.url }));
  expect((await ready(gateway.url))[0]).toBe(200);
  await database.cut();
  expect(await ready(gateway.url)).toEqual(missing('database'));
  expect(await ready(gateway.siteUrl)).toEqual(missing('database'));
  await database.restore();
  await until(async () => (await ready(gateway.url))[0] === 200);
});

test('a hanging subgraph is reported as missing before a request to it times out', async () => {
  const hanging = createServer(() => {}).listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  stops.push(
    () => hanging.closeAllConnections(),
    () => hanging.close(),
  );
  const AGENT_URL = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
  const gateway = kept(await startGateway({ AGENT_URL, SUBGRAPH_SECRET: SECRET }));
  const started = performance.now();
  expect(await ready(gateway.url)).toEqual(missing('agent'));
  expect(performance.now() - started).toBeLessThan(REQUEST_MS);
});

test('a worker reports on HEALTH_PORT whether it reaches Temporal and the database', async () => {
  const own = await createDatabase();
  stops.push(() => own.drop());
  const [database, temporal] = await Promise.all([forwardDatabase(own.url), forward(`tcp://${process.env.TEST_TEMPORAL_ADDRESS}`)]);
  const port = await freePort();
  kept(
    await startWorker({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
      HEALTH_PORT: String(port),
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  expect(await ready(url)).toEqual([200, { status: 'ready' }]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/metrics`)).status).toBe(404);

  await temporal.cut();
  expect(await ready(url)).toEqual(missing('temporal'));
  await database.cut();
  expect(await ready(url)).toEqual(missing('database', 'temporal'));
  await Promise.all([temporal.restore(), database.restore()]);
  await until(async () => (await ready(url))[0] === 200);
});
