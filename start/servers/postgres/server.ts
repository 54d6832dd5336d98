import { readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { commandLine, endProcess } from '../processes.ts';
import { poll, run } from '../run.ts';
import { type Cluster, environment } from './cluster.ts';

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
export type PostgresSettings = Record<string, string | number>;

const logLimit = 10_000_000;

export interface Postmaster {
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
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const postmaster = await readPostmaster(cluster);
  if (!postmaster) return undefined;
  if ((await commandLine(postmaster.pid)).includes(cluster.data)) return postmaster;
  await rm(join(cluster.data, 'postmaster.pid'), { force: true });
  return undefined;
}

/** Whether the server responds with this cluster's data. Waits while the server starts or recovers. */
export async function isHealthy(cluster: Cluster, { port }: Postmaster, forMs: number): Promise<boolean> {
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
export async function startPostmaster(cluster: Cluster, settings: PostgresSettings): Promise<string | undefined> {
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
export async function stopPostmaster(cluster: Cluster, patience = 30): Promise<void> {
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

export function connect({ password }: Cluster, port: number, database: string): pg.Client {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password, database, connectionTimeoutMillis: 5_000 });
  // The server may close a connection at any time; the next query reports it.
  client.on('error', () => {});
  return client;
}
