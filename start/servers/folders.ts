import { chmodSync, mkdirSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { join, resolve } from 'node:path';

const NAME = 'catalog-graph';

/** Whether this process is root. Servers then run as another user, who must be able to reach their folders. */
export const isRoot = () => process.getuid?.() === 0;

/** Cache folder for programs that several checkouts share. For root it is outside the private home folder. */
export function cacheFolder(): string {
  return ensure(join(cacheRoot(), NAME));
}

/** Data folder of `npm start`. */
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
