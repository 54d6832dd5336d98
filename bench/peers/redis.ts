import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../start/servers/ports.ts';
import { run } from '../../start/servers/processes.ts';

/** Durable, as PostgreSQL is: each write is on the disk before its response. */
const DURABLE = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];

export interface Redis {
  port: number;
  stop(): Promise<void>;
}

/** Start Redis with temporary data. Undefined if `redis-server` is not installed. */
export async function startRedis(): Promise<Redis | undefined> {
  if ((await run('redis-server', ['--version'])).code !== 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'catalog-graph-redis-'));
  const port = await freePort();
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...DURABLE], {
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return {
    port,
    async stop() {
      child.kill();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
