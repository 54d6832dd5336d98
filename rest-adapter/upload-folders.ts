import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'catalog-graph-uploads';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Names this process: the time of its start tells it from others that had the same id. */
const owner = [PREFIX, hostname(), process.pid, Math.round(performance.timeOrigin)].join('~');
/** Nobody else can guess the name and make the folder before. */
const own = `${owner}~${randomUUID()}`;

/**
 * Makes a folder for the files of one form, which its user removes. It lies in a folder of this process, so that another process can
 * tell whether its owner is still alive.
 */
export async function makeUploadFolder(parent = tmpdir()): Promise<string> {
  const folder = join(parent, own);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return mkdtemp(join(folder, 'form-'));
}

/** Removes the folders of killed processes, now and every hour until the returned function is called. */
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
  // Processes of other hosts know this one only by the time of the last touch.
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
  // This process has the id now, as the first process of a restarted container has.
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
