import { Injector } from '../cluster/injector.ts';
import { jobs } from '../cluster/load/jobs.ts';
import { isBalanced } from '../cluster/load/ledger.ts';
import { reads, uploads, writes } from '../cluster/load/requests.ts';
import { Attempts } from '../cluster/load/workload.ts';
import type { Link } from '../cluster/network/link.ts';
import { Part } from '../cluster/part.ts';
import { portsFor } from '../cluster/ports.ts';
import { randomOf } from '../cluster/random.ts';
import { createDatabase } from '../support/database.ts';
import { environmentOf } from '../support/environment.ts';
import { startForwarder } from '../support/forwarder.ts';
import { startProcess } from '../support/processes.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { openCatalog, openMarketplace, samples } from './kinds.ts';

const [FAULTS, SEED] = [8, 4];
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** A link that a forwarder of this process disturbs. */
async function openLink(from: string, to: string, target: string) {
  const { hostname, port } = new URL(target);
  const forwarder = await startForwarder(hostname, Number(port));
  closing.push(forwarder.cut);
  let isCut = false;
  const link: Link = {
    ...{ from, to },
    async cut() {
      isCut = true;
      await forwarder.cut();
    },
    async add({ type }) {
      if (type === 'timeout') forwarder.lose();
      else forwarder.reset();
    },
    async restore() {
      if (isCut) await forwarder.restore();
      else forwarder.close();
      isCut = false;
    },
  };
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(forwarder.port);
  return { link, url };
}

/** A gateway and a worker, and links between them and their servers. */
async function openParts() {
  const own = await createDatabase();
  closing.push(own.drop);
  const { PORT } = await portsFor(['PORT']);
  const { url: SEARCH_URL } = await openMarketplace();
  const common = environmentOf({ databaseUrl: own.url, env: { OUTBOUND_ALLOW_HOSTS: '127.0.0.1', SEARCH_URL } });
  const links = await Promise.all([
    openLink('gateway', 'postgres', own.url),
    openLink('worker', 'postgres', own.url),
    openLink('worker', 'temporal', `http://${process.env.TEST_TEMPORAL_ADDRESS}`),
    openLink('worker', 'provider', process.env.TEST_PROVIDER!),
  ]);
  const [gatewayDatabase, workerDatabase, temporal, provider] = links.map(({ url }) => url);
  const env = {
    gateway: { ...common, PORT: String(PORT), DATABASE_URL: gatewayDatabase!.href },
    worker: {
      ...common,
      DATABASE_URL: workerDatabase!.href,
      TEMPORAL_ADDRESS: temporal!.host,
      OPENAI_BASE_URL: provider!.href,
    },
  };
  const parts = (['gateway', 'worker'] as const).map(
    (name) => new Part(name, () => startProcess(`start/${name}.ts`, [], env[name], { readyMs: 60_000 })),
  );
  await Promise.all(parts.map((part) => part.start()));
  closing.push(() => Promise.all(parts.map((part) => part.stop())));
  return { parts, links: links.map(({ link }) => link), databaseUrl: own.url, url: `http://127.0.0.1:${PORT}` };
}

test('random kills and disturbed connections lose and double nothing', async () => {
  const { parts, links, url, databaseUrl } = await openParts();
  const receiver = await startReceiver();
  closing.push(receiver.close);
  const attempts = new Attempts();
  const options = { count: 6, directive: '[[provider: slow 200]]', again: true, url, databaseUrl, receiver, attempts };
  const catalog = await openCatalog(url, databaseUrl);
  const workloads = [
    ...samples.map((sample) => jobs({ ...options, sample })),
    reads(catalog, attempts),
    writes(catalog, attempts, databaseUrl),
    uploads(catalog, attempts, databaseUrl),
  ];
  const injector = new Injector({
    ...{ parts, links, random: randomOf(SEED), pace: 0.2, onFault: () => {} },
    faults: ['kill', 'cut', 'reset', 'blackhole'],
  });
  const ending = new AbortController();
  const running = workloads.map((each) => each.run(ending.signal));
  await injector.run(FAULTS, new AbortController().signal, () => {});
  ending.abort();
  await Promise.all(running);
  const accounts = (await Promise.all(workloads.map((each) => each.settle()))).flat();
  expect(accounts.filter((each) => !isBalanced([each]))).toEqual([]);
  expect(accounts.every(({ accepted, done }) => done > 0 && done === accepted)).toBe(true);
  expect(injector.exits).toEqual(new Map());
});
