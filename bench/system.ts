import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { buildPages } from '../start/page-builds.ts';
import { startPostgres } from '../start/servers/postgres.ts';
import { startTemporal } from '../start/servers/temporal.ts';
import { startProcess } from '../tests/support/processes.ts';
import { startSystem } from '../tests/support/system.ts';
import type { Line } from './report.ts';
import { seed } from './seed.ts';

/** Organizations of the benchmark parts, with their numbers of products. */
const SIZES = {
  large: 100_000,
  fewproducts: 0,
  fewvalues: 0,
  manyvalues: 0,
  manyproducts: 0,
  parts: 0,
  edited: 0,
  jobs: 2_000,
  slow: 5_000,
  kinds: 1_000,
  bulk: 0,
  copied: 0,
  files: 0,
  hooks: 0,
  live: 0,
  fewrecords: 0,
  manyrecords: 0,
};

export type Bench = Awaited<ReturnType<typeof startBench>>;
export type Note = (text: string) => void;

/** Parts that `--only` selects. */
export interface Part {
  organizations: (keyof typeof SIZES)[];
  /** The gateway also serves the dashboard. */
  pages?: boolean;
  /** Variables of the gateway and the worker. Such a part runs alone, and only on request. */
  env?: Record<string, string>;
  measure(bench: Bench, note: Note): Promise<Line[]>;
}

export interface Peer {
  url: string;
  pid: number;
}

export interface Extent {
  rounds: number;
  /** Duration of measurements without a fixed amount of work. */
  seconds: number;
  /** Fraction of the full amount of work; 1 is all. */
  scale: number;
}

/**
 * Start servers and product in separate processes with temporary data. Peers start on first use.
 * @param profile folder that the CPU profiles of the gateway and the worker are written to when they end
 */
export async function startBench(
  stack: AsyncDisposableStack,
  { parts, extent, note, profile }: { parts: Part[]; extent: Extent; note: Note; profile?: string },
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalog-graph-bench-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  note('starting PostgreSQL and Temporal');
  const postgres = await startPostgres({ dataDir, onStep: note });
  stack.defer(() => postgres.stop());
  const temporal = await startTemporal({ dataDir, onStep: note });
  stack.defer(() => temporal.stop());
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
  stack.defer(() => pool.end());

  const wanted = new Set(parts.flatMap(({ organizations }) => organizations));
  const sizes = Object.fromEntries(Object.entries(SIZES).filter(([slug]) => wanted.has(slug as keyof typeof SIZES)));
  note(
    `making ${Object.values(sizes)
      .reduce((sum, size) => sum + size, 0)
      .toLocaleString('en')} products`,
  );
  const { organizations, key } = await seed(postgres.url, pool, sizes);

  if (parts.some(({ pages }) => pages)) await buildPages(note);
  note('starting the gateway and the worker');
  const outside = await startProcess('bench/peers/external-services.ts', [], {});
  stack.defer(() => outside.stop());
  const { model, search, hook } = outside.addresses as Record<'model' | 'search' | 'hook', string>;
  const system = await startSystem({
    databaseUrl: postgres.url,
    temporalAddress: temporal.address,
    provider: model,
    env: {
      SEARCH_URL: search,
      ...Object.assign({}, ...parts.map(({ env }) => env)),
      ...(profile && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` }),
    },
  });
  stack.defer(() => system.stop());

  const peers = new Map<string, Promise<Peer>>();
  const startPeer = async (name: string) => {
    const env = { DATABASE_URL: postgres.url, OPENAI_BASE_URL: model, SEARCH_URL: search };
    const running = await startProcess(`bench/peers/${name}.ts`, [], env);
    stack.defer(() => running.stop());
    return { url: running.addresses.url!, pid: running.pid };
  };

  return {
    pool,
    databaseUrl: postgres.url,
    temporalAddress: temporal.address,
    url: system.url,
    key,
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    organizations,
    /** Base URL of the model provider, ending in /v1. */
    model,
    /** Webhook receiver that responds immediately. */
    hook,
    rounds: extent.rounds,
    seconds: extent.seconds,
    /** Scales a number by `--scale`. */
    of: (count: number) => Math.max(1, Math.round(count * extent.scale)),
    /** The peer of this name, started on first use. */
    peer(name: string): Promise<Peer> {
      if (!peers.has(name)) peers.set(name, startPeer(name));
      return peers.get(name)!;
    },
    /** The output of the worker so far. */
    workerOutput: () => system.worker.output(),
    processes: { gateway: system.gateway.pid, worker: system.worker.pid, PostgreSQL: postgres.pid, Temporal: temporal.pid },
  };
}
