import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { rememberedPort } from './ports.ts';
import { type Cluster, openCluster } from './postgres/cluster.ts';
import { postgresFault } from './postgres/reasons.ts';
import { connect, findPostmaster, isHealthy, type Postmaster, startPostmaster, stopPostmaster } from './postgres/server.ts';
import { processEnd } from './processes.ts';

const database = 'catalog_graph';

export interface Postgres {
  url: string;
  pid: number;
  /** It was running already: an earlier process was killed and left it. */
  adopted: boolean;
  /** Resolves when the server's process is gone. */
  ended(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  dataDir: string;
  /** Insist on this port; otherwise the last one is used while it is free. */
  port?: number;
  onStep?: (text: string) => void;
}

/** A real PostgreSQL on 127.0.0.1 with its data below `dataDir`. It outlives this process when that is killed; the next start finds it. */
export async function startPostgres({ dataDir, port: wanted, onStep = () => {} }: PostgresOptions): Promise<Postgres> {
  const cluster = await openCluster(resolve(dataDir), onStep);
  const left = await findPostmaster(cluster);
  const adopted = left !== undefined && (await isHealthy(cluster, left, 30_000));
  if (left && !adopted) {
    onStep('Stopping a PostgreSQL that does not answer');
    await stopPostmaster(cluster, 5);
  }
  const { pid, port } = adopted ? left : await start(cluster, wanted, onStep);
  await createDatabase(cluster, port);
  return {
    url: `postgres://postgres:${cluster.password}@127.0.0.1:${port}/${database}`,
    pid,
    adopted,
    ended: () => processEnd(pid),
    stop: () => stopPostmaster(cluster),
  };
}

async function start(cluster: Cluster, wanted: number | undefined, onStep: (text: string) => void): Promise<Postmaster> {
  onStep('Starting PostgreSQL');
  let said = '';
  for (let attempt = 0; attempt < 10; attempt += 1) {
    // Also removes the lock file of a server that is gone.
    await findPostmaster(cluster);
    const result = await startPostmaster(cluster, wanted ?? (await rememberedPort(join(cluster.folder, 'port'))));
    const postmaster = result.started && (await findPostmaster(cluster));
    if (postmaster) return postmaster;
    said = result.said;
    // Another took the port meanwhile, or what a killed server left is about to go: its process, or sessions that notice its end.
    if (!/address already in use|lock file .* already exists|pre-existing shared memory block/i.test(said)) break;
    await wait(1_000);
  }
  throw postgresFault(said, cluster.dataDir, cluster.log);
}

async function createDatabase(cluster: Cluster, port: number): Promise<void> {
  const client = connect(cluster, port, 'postgres');
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${database}`);
  } catch (error) {
    throw postgresFault((error as Error).message, cluster.dataDir, cluster.log);
  } finally {
    await client.end().catch(() => {});
  }
}
