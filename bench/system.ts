import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../start/servers/postgres.ts';
import { startTemporal } from '../start/servers/temporal.ts';
import { startProcess } from '../tests/support/processes.ts';
import { startSystem } from '../tests/support/system.ts';
import { seed } from './seed.ts';

export const SIZES = { small: 1_000, large: 100_000, jobs: 2_000 };

export type Bench = Awaited<ReturnType<typeof startBench>>;

/**
 * Servers, the product and its peers, each in a process of its own, over data of their own.
 * @param profile folder that the CPU profiles of the gateway and the worker are written to when they end
 */
export async function startBench(stack: AsyncDisposableStack, note: (text: string) => void, profile?: string) {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalog-graph-bench-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  note('starting PostgreSQL and Temporal');
  const postgres = await startPostgres({ dataDir, onStep: note });
  stack.defer(() => postgres.stop());
  const temporal = await startTemporal({ dataDir, onStep: note });
  stack.defer(() => temporal.stop());
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
  stack.defer(() => pool.end());

  note('making 103,000 products');
  const { organizations, key } = await seed(postgres.url, pool, SIZES);

  note('starting the gateway, the worker and their peers');
  const model = await startProcess('bench/peers/model.ts', [], {});
  stack.defer(() => model.stop());
  const provider = model.addresses.url!;
  const system = await startSystem({
    databaseUrl: postgres.url,
    temporalAddress: temporal.address,
    provider,
    env: profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` } : {},
  });
  stack.defer(() => system.stop());
  const peerEnv = { DATABASE_URL: postgres.url, OPENAI_BASE_URL: provider };
  const listing = await startProcess('bench/peers/listing.ts', [], peerEnv);
  stack.defer(() => listing.stop());
  const enrichment = await startProcess('bench/peers/enrichment.ts', [], peerEnv);
  stack.defer(() => enrichment.stop());

  return {
    pool,
    url: system.url,
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    organizations,
    peers: { listing: listing.addresses.url!, enrichment: enrichment.addresses.url! },
    processes: { gateway: system.gateway.pid, worker: system.worker.pid, PostgreSQL: postgres.pid, Temporal: temporal.pid },
  };
}
