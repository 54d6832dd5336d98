import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../start/servers/processes.ts';

const MEBIBYTE = Buffer.alloc(1024 ** 2);

/** A folder on a file system of its own, which a test can fill. */
export interface SmallDisk {
  folder: string;
  /** Fill the disk, except for at most a few bytes. */
  fill(): Promise<void>;
  /** Free the space that `fill` took. */
  free(): Promise<void>;
  remove(): Promise<void>;
}

/** Mount a disk of this many MiB. Returns undefined where the tests may not mount, as without root. */
export async function mountSmallDisk(size: number): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-graph-disk-'));
  const options = `size=${size}m,mode=755`;
  const { code } = await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  if (code !== 0) {
    await rm(folder, { recursive: true });
    return undefined;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    async fill() {
      await mkdir(filler, { recursive: true });
      const file = await open(join(filler, 'file'), 'a');
      // The last pages are smaller than the blocks before.
      for (let part = MEBIBYTE; part.length >= 4_096; ) {
        const written = await file.write(part).then(
          ({ bytesWritten }) => bytesWritten === part.length,
          () => false,
        );
        if (!written) part = part.subarray(0, part.length / 2);
      }
      await file.close();
    },
    free: () => rm(filler, { recursive: true, force: true }),
    async remove() {
      await run('umount', ['--lazy', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
