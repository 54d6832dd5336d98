import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Closers } from '../../start/process/closers.ts';
import { type Postgres, startPostgres } from '../../start/servers/postgres.ts';
import { poll } from '../../start/servers/processes.ts';
import { startProvider } from '../support/provider.ts';
import { balancerPart } from './balancer.ts';
import { directNetwork, type Network, startToxiproxy, urlThrough } from './network/toxiproxy.ts';
import { Part } from './part.ts';
import { poolerPart } from './pooler.ts';
import { portsFor } from './ports.ts';
import { productParts, productPorts } from './product.ts';
import { findPrograms } from './programs.ts';
import { prepareTemporal } from './temporal.ts';

/** Addresses of a running system, as tests need them. */
export interface Addresses {
  url: string;
  siteUrl: string;
  /** PostgreSQL itself. */
  databaseUrl: string;
  temporalAddress: string;
  /** The stand-in model provider. */
  provider: string;
}

export interface Cluster extends Addresses {
  /** Every process besides PostgreSQL, in the order of their start. */
  parts: Part[];
  postgres: Part;
  network: Network;
  /** The folder with configurations and logs. */
  folder: string;
}

interface Options {
  onStep: (text: string) => void;
  closers: Closers;
  /** Overrides variables of the processes of the product. */
  env?: Record<string, string>;
  /** Returns the folder with the sources of the next process that starts. The default is this repository. */
  sources?: () => string;
  /** Whether connections between processes can be disturbed. */
  hasLinks?: boolean;
  /** Whether to keep the logs at the end, for example after a failure. */
  keepsLogs?: () => boolean;
}

const READY_MS = 60_000;

/**
 * Start the product as separate processes: two gateways, two of each subgraph and two workers behind HAProxy, PostgreSQL behind PgBouncer in
 * transaction mode, and a Temporal cluster. `closers` stops them in reverse order.
 */
export async function startCluster({ onStep, closers, env, sources, hasLinks, keepsLogs }: Options): Promise<Cluster> {
  const programs = await findPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'catalog-graph-cluster-'));
  closers.add('data', async () => {
    if (keepsLogs?.()) onStep(`The logs are in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  });
  const open = (name: string, parts: readonly Part[]) =>
    closers.open(
      name,
      () => startAll(parts),
      () => stopAll(parts),
    );

  const network = hasLinks ? await openNetwork(programs.toxiproxy, folder, closers) : directNetwork;
  let databaseUrl = '';
  const postgres = new Part('postgres', async () => {
    const server = await startPostgres({ dataDir: folder, onStep });
    databaseUrl = server.url;
    return { pid: server.pid, stop: (signal) => (signal === 'SIGTERM' ? server.stop() : endAtOnce(server)) };
  });
  await open('PostgreSQL', [postgres]);
  onStep('Starting PgBouncer');
  const serverOfPooler = await urlThrough(network, 'pgbouncer', 'postgres', databaseUrl);
  const pooler = await poolerPart(programs.pgbouncer, folder, serverOfPooler, (await portsFor(['pooler'])).pooler);
  await open('PgBouncer', [pooler.part]);
  const serverOfTemporal = await urlThrough(network, 'temporal', 'postgres', databaseUrl);
  const temporal = await prepareTemporal(programs, folder, serverOfTemporal, onStep);
  onStep('Starting the services of Temporal');
  // The first service writes the metadata of the cluster; others would fail at the same time.
  for (const part of temporal.parts) await open(part.name, [part]);
  await temporal.createNamespace();
  const provider = await startProvider();
  closers.add('provider', provider.close);

  const ports = await productPorts();
  onStep('Starting HAProxy');
  const balancer = await balancerPart(programs.haproxy, folder, ports.fronts);
  await open('HAProxy', [balancer]);
  const product = await productParts(ports, {
    databaseUrl: pooler.url,
    directUrl: databaseUrl,
    temporalAddress: temporal.address,
    provider: provider.url,
    network,
    folder,
    env,
    sources,
  });
  // They stop together, because each takes seconds.
  closers.add('the product', () => stopAll(product));
  for (const kind of new Set(product.map((part) => part.kind))) {
    onStep(`Starting two processes: ${kind}`);
    await startAll(product.filter((part) => part.kind === kind));
  }
  onStep('Waiting until the balancer serves');
  for (const url of [ports.url, ports.siteUrl]) await untilReady(url);
  const parts = [pooler.part, ...temporal.parts, balancer, ...product];
  const { url, siteUrl } = ports;
  const addresses = { url, siteUrl, databaseUrl, temporalAddress: temporal.address, provider: provider.url };
  return { ...addresses, parts, postgres, network, folder };
}

async function openNetwork(program: string, folder: string, closers: Closers): Promise<Network> {
  const network = await startToxiproxy(program, folder);
  closers.add('Toxiproxy', () => network.part.stop());
  return network;
}

async function startAll(parts: readonly Part[]): Promise<void> {
  const results = await Promise.allSettled(parts.map((part) => part.start()));
  const failed = results.find((each) => each.status === 'rejected');
  if (!failed) return;
  await stopAll(parts);
  throw failed.reason;
}

const stopAll = async (parts: readonly Part[]): Promise<void> => void (await Promise.all(parts.map((part) => part.stop())));

/** An immediate shutdown, like a crash: the server recovers from its log when it starts again. */
async function endAtOnce({ pid, ended }: Postgres): Promise<void> {
  process.kill(pid, 'SIGQUIT');
  await ended();
}

async function untilReady(url: string): Promise<void> {
  const isReady = async () => ((await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200 ? true : undefined);
  if (!(await poll(isReady, { forMs: READY_MS }))) throw new Error(`${url} did not become ready`);
}
