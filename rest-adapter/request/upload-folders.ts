import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'catalog-graph-uploads';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Identifies this process. The start time distinguishes processes that reuse a pid. */
const owner = [PREFIX, hostname(), process.pid, Math.round(performance.timeOrigin)].join('~');
/** The random part prevents other users from creating the folder first. */
const own = `${owner}~${randomUUID()}`;

/**
 * Create a temporary folder for the files of one form; the caller must remove it. It is inside a folder of this process, so that
 * other processes can check whether the owner is alive.
 */
export async function makeUploadFolder(parent = tmpdir()): Promise<string> {
  const folder = join(parent, own);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return mkdtemp(join(folder, 'form-'));
}

/** Remove the folders of dead processes, now and every hour. Returns a function that stops the sweep. */
export async function startUploadSweep(parent = tmpdir()): Promise<() => Promise<void>> {
  const timer = setInterval(() => void sweep(parent), HOUR).unref();
  await sweep(parent);
  return async () => {
    clearInterval(timer);
    await rmdir(join(parent, own)).catch(() => {});
  };
}

async function sweep(parent: string): Promise<void> {
  const now = new Date();
  // Other hosts can only use the modification time to detect that this process is alive.
  await utimes(join(parent, own), now, now).catch(() => {});
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(`${PREFIX}~`) || name.startsWith(`${owner}~`)) continue;
    const path = join(parent, name);
    if (await isAbandoned(name, path)) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

async function isAbandoned(name: string, path: string): Promise<boolean> {
  const [, host, pid] = name.split('~');
  if (host !== hostname()) return Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now()) > DAY;
  // The previous owner had the same pid, as is usual after a container restart.
  return Number(pid) === process.pid || !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
