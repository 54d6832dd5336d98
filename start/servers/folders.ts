import { chmodSync, mkdirSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { join, resolve } from 'node:path';

const NAME = 'catalog-graph';

/** Whether this process is root: servers then run as another user, and need folders that user can enter. */
export const isRoot = () => process.getuid?.() === 0;

/** Where programs are kept that several checkouts share: outside a private home when root starts them for another user. */
export function cacheFolder(): string {
  return ensure(join(cacheRoot(), NAME));
}

/** Where the data of `npm start` lives. */
export function dataFolder(chosen: string | undefined): string {
  return ensure(chosen ? resolve(chosen) : join(cacheRoot(), NAME, 'data'));
}

function cacheRoot(): string {
  if (isRoot()) return '/var/cache';
  if (platform() === 'darwin') return join(homedir(), 'Library', 'Caches');
  if (platform() === 'win32') return process.env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}

function ensure(folder: string): string {
  mkdirSync(folder, { recursive: true });
  if (isRoot()) chmodSync(folder, 0o755);
  return folder;
}
