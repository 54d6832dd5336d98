import { readFile, stat } from 'node:fs/promises';
import type { SupergraphLocation } from './location.ts';

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  EISDIR: 'is a directory',
};

/** Poll interval, in milliseconds. */
const interval = 1_000;

/** Read a supergraph from a file. It polls, because file system events miss network mounts and replaced symbolic links. */
export function supergraphFile(file: string): SupergraphLocation {
  let read: string | undefined;
  let seen: string | undefined;

  const versionOf = async () => {
    const { ino, size, mtimeMs } = await stat(file);
    return `${ino} ${size} ${mtimeMs}`;
  };
  return {
    name: file,
    interval,
    async read() {
      return withReason(async () => {
        read = await versionOf();
        return readFile(file, 'utf8');
      });
    },
    async readChange() {
      return withReason(async () => {
        const version = await versionOf();
        // Wait until two consecutive polls agree, because the file may still be growing.
        const isSteady = version === seen;
        seen = version;
        if (version === read || !isSteady) return undefined;
        read = version;
        return readFile(file, 'utf8');
      });
    },
    async close() {},
  };
}

async function withReason<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error((code && reasons[code]) ?? `cannot be read: ${message}`, { cause: error });
  }
}
