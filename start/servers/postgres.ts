import { readFile, rm, stat, truncate } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { storedPort } from './ports.ts';
import { type Cluster, environment, openCluster, postgresFault } from './postgres-cluster.ts';
import { commandLine, endProcess, poll, processEnd, run } from './processes.ts';

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

interface PostgresOptions {
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

const defaults = {
  listen_addresses: '127.0.0.1',
  // Socket paths have a short maximum length; use loopback TCP instead.
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '128MB',
  maintenance_work_mem: '128MB',
  random_page_cost: 1.1,
  timezone: 'UTC',
  jit: 'off',
};

/** Parameters of the server configuration. */
type PostgresSettings = Record<string, string | number>;

const logLimit = 10_000_000;

interface Postmaster {
  pid: number;
  port: number;
}

/** Content of the cluster's lock file, which may be stale. */
async function readPostmaster({ data }: Cluster): Promise<Postmaster | undefined> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return lines[0] ? { pid: Number(lines[0]), port: Number(lines[3]) } : undefined;
}

/**
 * The running server of the cluster, if any. Removes a stale lock file whose pid belongs to another program or a zombie:
 * PostgreSQL would mistake that process for a running server and refuse to start.
 */
async function findPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const postmaster = await readPostmaster(cluster);
  if (!postmaster) return undefined;
  if ((await commandLine(postmaster.pid)).includes(cluster.data)) return postmaster;
  await rm(join(cluster.data, 'postmaster.pid'), { force: true });
  return undefined;
}

/** Whether the server responds with this cluster's data. Waits while the server starts or recovers. */
async function isHealthy(cluster: Cluster, { port }: Postmaster, forMs: number): Promise<boolean> {
  const answer = await poll(
    async () => {
      const client = connect(cluster, port, 'postgres');
      try {
        await client.connect();
        const { rows } = await client.query('show data_directory');
        return rows[0].data_directory === cluster.data;
      } catch (error) {
        // Not ready: connection refused, or "the database system is starting up".
        const { code } = error as { code?: string };
        return code === 'ECONNREFUSED' || code === '57P03' ? undefined : false;
      } finally {
        await client.end().catch(() => {});
      }
    },
    { forMs, everyMs: 200 },
  );
  return answer === true;
}

/** Start the server in the background. Returns its output if it fails, otherwise undefined. */
async function startPostmaster(cluster: Cluster, settings: PostgresSettings): Promise<string | undefined> {
  const { data, log, account, folder, binaries } = cluster;
  const size = (await stat(log).catch(() => undefined))?.size ?? 0;
  if (size > logLimit) await truncate(log);

  const options = Object.entries({ ...defaults, ...settings }).map(([name, value]) => `-c ${name}=${value}`);
  const { code, output } = await run(
    binaries.path('pg_ctl'),
    ['start', '-w', '-t', '120', '-D', data, '-l', log, '-o', options.join(' ')],
    { ...account, cwd: folder, env: environment, silent: true },
  );
  if (code === 0) return undefined;
  const text = await readFile(log).catch(() => Buffer.alloc(0));
  return `${output}${text.subarray(size > logLimit ? 0 : size)}`;
}

/** Stop the server with a fast shutdown, or an immediate one after a timeout. */
async function stopPostmaster(cluster: Cluster, patience = 30): Promise<void> {
  const { data, account, folder, binaries } = cluster;
  for (const mode of ['fast', 'immediate']) {
    if (!(await findPostmaster(cluster))) return;
    await run(binaries.path('pg_ctl'), ['stop', '-w', '-m', mode, '-t', String(patience), '-D', data], {
      ...account,
      cwd: folder,
      env: environment,
      silent: true,
    });
  }
  const left = await findPostmaster(cluster);
  if (left) await endProcess(left.pid, data, 0);
}

function connect({ password }: Cluster, port: number, database: string): pg.Client {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password, database, connectionTimeoutMillis: 5_000 });
  // The server may close a connection at any time; the next query reports it.
  client.on('error', () => {});
  return client;
}
