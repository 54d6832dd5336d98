import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { storedPort } from './ports.ts';
import { type Cluster, openCluster } from './postgres/cluster.ts';
import { postgresFault } from './postgres/reasons.ts';
import {
  connect,
  findPostmaster,
  isHealthy,
  type PostgresSettings,
  type Postmaster,
  startPostmaster,
  stopPostmaster,
} from './postgres/server.ts';
import { processEnd } from './processes.ts';

const database = 'catalog_graph';

export interface Postgres {
  url: string;
  pid: number;
  /** True if the server was already running, left by a killed process. */
  adopted: boolean;
  /** Resolves when the server process has exited. */
  ended(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  dataDir: string;
  /** Required port; by default the previous one, or another if it is in use. */
  port?: number;
  /** Further parameters of the server. */
  settings?: PostgresSettings;
  onStep?: (text: string) => void;
}

/** Start PostgreSQL on 127.0.0.1 with its data in `dataDir`. It survives if this process is killed; the next start adopts it. */
export async function startPostgres({ dataDir, port: wanted, settings, onStep = () => {} }: PostgresOptions): Promise<Postgres> {
  const cluster = await openCluster(resolve(dataDir), onStep);
  const left = await findPostmaster(cluster);
  const adopted = left !== undefined && (await isHealthy(cluster, left, 30_000));
  if (left && !adopted) {
    onStep('Stopping a PostgreSQL server that does not respond');
    await stopPostmaster(cluster, 5);
  }
  const { pid, port } = adopted ? left : await start(cluster, wanted, settings, onStep);
  await createDatabase(cluster, port);
  return {
    url: `postgres://postgres:${cluster.password}@127.0.0.1:${port}/${database}`,
    pid,
    adopted,
    ended: () => processEnd(pid),
    stop: () => stopPostmaster(cluster),
  };
}

async function start(
  cluster: Cluster,
  wanted: number | undefined,
  settings: PostgresSettings | undefined,
  onStep: (text: string) => void,
): Promise<Postmaster> {
  onStep('Starting PostgreSQL');
  let output = '';
  for (let attempt = 0; attempt < 10; attempt += 1) {
    // Also removes the stale lock file of a stopped server.
    await findPostmaster(cluster);
    const port = wanted ?? (await storedPort(join(cluster.folder, 'port')));
    const failure = await startPostmaster(cluster, { ...settings, port });
    const postmaster = failure === undefined ? await findPostmaster(cluster) : undefined;
    if (postmaster) return postmaster;
    output = failure ?? '';
    // Another program took the port, or the processes of a killed server are still exiting.
    if (!/address already in use|lock file .* already exists|pre-existing shared memory block/i.test(output)) break;
    await wait(1_000);
  }
  throw postgresFault(output, cluster.dataDir, cluster.log);
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
