import { readFile, stat } from 'node:fs/promises';
import type { SupergraphLocation } from './location.ts';

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  EISDIR: 'is a directory',
};

/** A file. Its status is polled, because events of the file system miss network mounts and replaced symbolic links. */
export function supergraphFile(file: string, interval = 1_000): SupergraphLocation {
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
      return reasoned(async () => {
        read = await versionOf();
        return readFile(file, 'utf8');
      });
    },
    async readChange() {
      return reasoned(async () => {
        const version = await versionOf();
        // A file that still grows is read when two looks in a row agree.
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

async function reasoned<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error((code && reasons[code]) ?? `cannot be read: ${message}`, { cause: error });
  }
}
